#include "runner/matrix/inventory.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/base/clock.h"
#include "runner/matrix/inventory_names.h"
#include "runner/matrix/read.h"
#include "runner/matrix/yaml.h"

#define AT(member) .offset = offsetof(struct inventory_host, member)

static bool is_path(const char *text)
{
	return text[0] == '\0' || text[0] == '/';
}

static bool is_one(const char *text)
{
	return strcmp(text, "1") == 0;
}

const struct inventory_key inventory_keys[] = {
	{ .like = { .name = "destination",
		    .type = PARAM_TEXT,
		    .def = "",
		    .help = "[USER@]HOST[:PORT] or a Host of ~/.ssh/config; "
			    "empty is the host's name" },
	  AT(destination),
	  .is_right = inventory_is_destination,
	  .rule = "must be [USER@]HOST[:PORT], or a Host of ~/.ssh/config" },
	{ .like = { .name = "qemu",
		    .type = PARAM_TEXT,
		    .def = "",
		    .help = "QEMU to run there, for cells that name none; "
			    "empty is qemu-system-ARCH of its PATH" },
	  AT(qemu),
	  .is_right = is_path,
	  .rule = "must be an absolute path" },
	{ .like = { .name = "slots",
		    .type = PARAM_COUNT,
		    .min = 1,
		    .max = 1,
		    .def = "1",
		    .help = "trials at once: 1, as more would share caches "
			    "and memory bandwidth" },
	  AT(slots),
	  .is_right = is_one,
	  .rule = "must be 1: trials at once would share caches and memory "
		  "bandwidth, and be slower for that" },
	{ .like = { .name = "tags",
		    .type = PARAM_ARGS,
		    .def = "",
		    .help = "words of your own, for groups by tag" },
	  AT(tags) },
	{ .like = { .name = "lease",
		    .type = PARAM_DURATION,
		    .min = 10.0 * NS_PER_S,
		    .max = 7 * 86400.0 * NS_PER_S,
		    .def = "15m",
		    .help = "how long the host waits for a controller that it "
			    "lost, before it stops its VM and restores its "
			    "settings" },
	  AT(lease_ns) },
	{ .like = { .name = "connect-timeout",
		    .type = PARAM_DURATION,
		    .min = 1.0 * NS_PER_S,
		    .max = 600.0 * NS_PER_S,
		    .def = "10s",
		    .help = "how long connecting may take" },
	  AT(connect_ns) },
};
const size_t inventory_nkeys = ARRAY_LEN(inventory_keys);

static const char *const sections[] = { "hosts", "groups" };

static void *member(struct inventory_host *h, const struct inventory_key *k)
{
	return (char *)h + k->offset;
}

static void keep(struct inventory_host *h, const struct inventory_key *k,
		 const struct param_value *v)
{
	if (k->like.type == PARAM_ARGS) {
		h->tags = v->list;
		h->ntags = v->nlist;
	} else if (k->like.type == PARAM_TEXT) {
		*(const char **)member(h, k) = v->s;
	} else {
		*(int64_t *)member(h, k) = v->i;
	}
}

static bool is_name(struct reading *r, const struct ynode *key,
		    const char *what)
{
	if (inventory_is_name(key->text))
		return true;
	diag_add(&r->d, key->at, "%s %s: " INVENTORY_NAME_RULE, what,
		 diag_quote(r->a, key->text));
	return false;
}

// One tag, or a list of them.
static void read_tags(struct reading *r, const struct ynode *v,
		      struct param_value *out)
{
	size_t n = v->kind == YNODE_LIST ? v->n : 1, kept = 0;
	const char **list;

	if (v->kind == YNODE_MAP || n > INVENTORY_TAGS_MAX) {
		diag_add(&r->d, v->at, "tags: must be a list of at most %d",
			 INVENTORY_TAGS_MAX);
		n = 0;
	}
	list = arena_array(r->a, n + 1, sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		const struct ynode *tag =
			v->kind == YNODE_LIST ? v->values[i] : v;

		if (read_is(r, tag, YNODE_SCALAR, "a tag") &&
		    is_name(r, tag, "tag"))
			list[kept++] = tag->text;
	}
	param_set_list(list, kept, r->a, out);
}

static void read_key(struct reading *r, const struct inventory_key *k,
		     const struct ynode *v, struct inventory_host *h)
{
	const char *name = k->like.name, *why = "";
	struct param_value value;

	if (k->like.type == PARAM_ARGS) {
		read_tags(r, v, &value);
	} else if (!read_is(r, v, YNODE_SCALAR, diag_quote(r->a, name))) {
		return;
	} else if (k->is_right != NULL && !k->is_right(v->text)) {
		diag_add(&r->d, v->at, "%s %s: %s", name,
			 diag_quote(r->a, v->text), k->rule);
		return;
	} else if (param_parse(&k->like, v->text, r->a, &value, &why) < 0) {
		diag_add(&r->d, v->at, "%s: %s", name, why);
		return;
	}
	keep(h, k, &value);
}

static const struct inventory_key *find_key(const char *name)
{
	for (size_t i = 0; i < inventory_nkeys; i++) {
		if (strcmp(inventory_keys[i].like.name, name) == 0)
			return &inventory_keys[i];
	}
	return NULL;
}

static void unknown_key(struct reading *r, const struct ynode *key)
{
	const char *names[ARRAY_LEN(inventory_keys)];

	for (size_t i = 0; i < inventory_nkeys; i++)
		names[i] = inventory_keys[i].like.name;
	read_unknown_key(r, key, "", names, inventory_nkeys);
}

static void read_host_keys(struct reading *r, const struct ynode *v,
			   struct inventory_host *h)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct inventory_key *k = find_key(v->keys[i]->text);

		if (k == NULL)
			unknown_key(r, v->keys[i]);
		else
			read_key(r, k, v->values[i], h);
	}
	if (inventory_is_local(h->name) && h->destination[0] != '\0')
		diag_add(
			&r->d, h->at,
			"host \"%s\": is this machine and takes no destination",
			h->name);
}

static bool is_free(struct reading *r, const struct ynode *key,
		    const struct inventory *inv)
{
	const struct inventory_host *h = inventory_find_host(inv, key->text);
	if (h != NULL)
		diag_add(&r->d, key->at,
			 "group \"%s\": the host in line %d has this name "
			 "already",
			 key->text, h->at.line);
	else if (inventory_is_local(key->text))
		diag_add(&r->d, key->at, "group \"%s\": is this machine's name",
			 key->text);
	else
		return true;
	return false;
}

// The map of one section, or NULL; "hosts:" with nothing below is none.
static const struct ynode *section_of(struct reading *r,
				      const struct ynode *root,
				      const char *name, size_t most)
{
	const struct ynode *v = ynode_get(root, name);

	if (v == NULL || read_is_nothing(v) ||
	    !read_is(r, v, YNODE_MAP, diag_quote(r->a, name)))
		return NULL;
	if (v->n <= most)
		return v;
	diag_add(&r->d, v->at, "%s: more than %zu", name, most);
	return NULL;
}

void inventory_set_defaults(struct inventory_host *h, struct arena *a)
{
	for (size_t i = 0; i < inventory_nkeys; i++) {
		struct param_value v =
			param_default(&inventory_keys[i].like, a);

		keep(h, &inventory_keys[i], &v);
	}
}

static void read_hosts_section(struct reading *r, const struct ynode *root,
			       struct inventory *inv)
{
	const struct ynode *v =
		section_of(r, root, "hosts", INVENTORY_HOSTS_MAX);

	if (v == NULL)
		return;
	inv->hosts = arena_array(r->a, v->n + 1, sizeof(*inv->hosts));
	for (size_t i = 0; i < v->n; i++) {
		struct inventory_host *h = &inv->hosts[inv->nhosts];
		const struct ynode *keys = v->values[i];

		if (!is_name(r, v->keys[i], "host"))
			continue;
		h->name = v->keys[i]->text;
		h->at = v->keys[i]->at;
		inventory_set_defaults(h, r->a);
		inv->nhosts++;
		if (read_is_nothing(keys))
			continue;
		if (read_is(r, keys, YNODE_MAP, diag_quote(r->a, h->name)))
			read_host_keys(r, keys, h);
	}
}

static void read_members(struct reading *r, const struct ynode *v,
			 struct inventory_group *g)
{
	if (v->n == 0 || v->n > INVENTORY_MEMBERS_MAX)
		diag_add(&r->d, v->at, "group \"%s\": needs 1 to %d members",
			 g->name, INVENTORY_MEMBERS_MAX);
	g->members = arena_array(r->a, v->n + 1, sizeof(*g->members));
	g->member_at = arena_array(r->a, v->n + 1, sizeof(*g->member_at));
	for (size_t i = 0; i < v->n; i++) {
		g->member_at[g->nmembers] = v->values[i]->at;
		if (read_scalar(r, v->values[i], "a member",
				&g->members[g->nmembers]))
			g->nmembers++;
	}
}

static void read_group(struct reading *r, const struct ynode *v,
		       struct inventory_group *g)
{
	const struct ynode *tags = ynode_get(v, "tags");
	static const char *const keys[] = { "tags" };
	struct param_value value;

	if (v->kind == YNODE_LIST) {
		read_members(r, v, g);
		return;
	}
	for (size_t i = 0; v->kind == YNODE_MAP && i < v->n; i++) {
		if (strcmp(v->keys[i]->text, "tags") != 0)
			read_unknown_key(r, v->keys[i], "", keys, 1);
	}
	if (tags == NULL) {
		diag_add(
			&r->d, v->at,
			"group \"%s\": must be a list of hosts, or {tags: [...]}",
			g->name);
		return;
	}
	read_tags(r, tags, &value);
	g->tags = value.list;
	g->ntags = value.nlist;
	if (g->ntags == 0)
		diag_add(&r->d, tags->at, "group \"%s\": names no tag",
			 g->name);
}

static void read_groups_section(struct reading *r, const struct ynode *root,
				struct inventory *inv)
{
	const struct ynode *v =
		section_of(r, root, "groups", INVENTORY_GROUPS_MAX);

	if (v == NULL)
		return;
	inv->groups = arena_array(r->a, v->n + 1, sizeof(*inv->groups));
	for (size_t i = 0; i < v->n; i++) {
		struct inventory_group *g = &inv->groups[inv->ngroups];

		if (!is_name(r, v->keys[i], "group") ||
		    !is_free(r, v->keys[i], inv))
			continue;
		g->name = v->keys[i]->text;
		g->at = v->keys[i]->at;
		inv->ngroups++;
		read_group(r, v->values[i], g);
	}
}

static void read_inventory(struct reading *r, const struct ynode *root,
			   struct inventory *inv)
{
	if (!read_is(r, root, YNODE_MAP, "an inventory"))
		return;
	for (size_t i = 0; i < root->n; i++) {
		const char *key = root->keys[i]->text;

		if (strcmp(key, "hosts") != 0 && strcmp(key, "groups") != 0 &&
		    strncmp(key, "x-", 2) != 0)
			read_unknown_key(r, root->keys[i], "", sections,
					 ARRAY_LEN(sections));
	}
	read_hosts_section(r, root, inv);
	read_groups_section(r, root, inv);
	inventory_check_groups(r, inv);
}

int inventory_parse(const char *file, const void *data, size_t len,
		    struct inventory **out, struct err *e)
{
	CLEANUP(inventory_freep)
	struct inventory *inv = xcalloc(1, sizeof(*inv));
	struct reading r = { 0 };
	struct ynode *root;

	r.a = r.d.arena = inv->arena = arena_new();
	inv->file = arena_strdup(inv->arena, file);
	root = ynode_parse(file, data, len, &r.d);
	if (root != NULL)
		read_inventory(&r, root, inv);
	if (diag_report(&r.d, e) < 0)
		return -1;
	*out = TAKE_PTR(inv);
	return 0;
}

void inventory_free(struct inventory *inv)
{
	if (inv == NULL)
		return;
	arena_free(inv->arena);
	free(inv);
}

void inventory_freep(struct inventory **inv)
{
	inventory_free(*inv);
}
