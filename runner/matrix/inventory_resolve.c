// From the names in a matrix to hosts.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"
#include "runner/matrix/inventory_names.h"
#include "runner/matrix/matrix.h"

const struct inventory_host *inventory_find_host(const struct inventory *inv,
						 const char *name)
{
	for (size_t i = 0; inv != NULL && i < inv->nhosts; i++) {
		if (strcmp(inv->hosts[i].name, name) == 0)
			return &inv->hosts[i];
	}
	return NULL;
}

const struct inventory_group *inventory_find_group(const struct inventory *inv,
						   const char *name)
{
	for (size_t i = 0; inv != NULL && i < inv->ngroups; i++) {
		if (strcmp(inv->groups[i].name, name) == 0)
			return &inv->groups[i];
	}
	return NULL;
}

static bool has_tag(const struct inventory_host *h, const char *tag)
{
	for (size_t i = 0; i < h->ntags; i++) {
		if (strcmp(h->tags[i], tag) == 0)
			return true;
	}
	return false;
}

static bool has_tags(const struct inventory_host *h,
		     const struct inventory_group *g)
{
	for (size_t i = 0; i < g->ntags; i++) {
		if (!has_tag(h, g->tags[i]))
			return false;
	}
	return g->ntags > 0;
}

static bool is_known(const struct inventory *inv, const char *name)
{
	return inventory_find_host(inv, name) != NULL ||
	       inventory_find_group(inv, name) != NULL ||
	       inventory_is_local(name);
}

static void unknown_member(struct reading *r, const struct inventory *inv,
			   struct place at, const char *name)
{
	size_t n = 0, most = inv->nhosts + inv->ngroups;
	const char **names = arena_array(r->a, most + 1, sizeof(*names));

	for (size_t i = 0; i < inv->nhosts; i++)
		names[n++] = inv->hosts[i].name;
	for (size_t i = 0; i < inv->ngroups; i++)
		names[n++] = inv->groups[i].name;
	diag_add(&r->d, at,
		 "%s: neither a host nor a group of this file%s; list it under "
		 "hosts",
		 diag_quote(r->a, name), diag_hint(r->a, name, names, n));
}

// A search through the groups, depth first.
struct search {
	struct reading *r;
	const struct inventory *inv;
	const char **path; // names of the groups that are entered
	size_t depth;
	bool *done; // by group: nothing below it is on the path
};

static bool is_entered(const struct search *s, const char *name)
{
	for (size_t i = 0; i < s->depth; i++) {
		if (strcmp(s->path[i], name) == 0)
			return true;
	}
	return false;
}

// Recursive; no deeper than there are groups.
static void search_group(struct search *s, const struct inventory_group *g)
{
	bool *done = &s->done[g - s->inv->groups];

	if (*done)
		return;
	*done = true;
	s->path[s->depth++] = g->name;
	for (size_t i = 0; i < g->nmembers; i++) {
		const struct inventory_group *inner =
			inventory_find_group(s->inv, g->members[i]);

		if (inner == NULL)
			continue;
		if (is_entered(s, inner->name))
			diag_add(
				&s->r->d, g->member_at[i],
				"group \"%s\": stands inside itself, by \"%s\"",
				inner->name, g->name);
		else
			search_group(s, inner);
	}
	s->depth--;
}

static bool any_has_tags(const struct inventory *inv,
			 const struct inventory_group *g)
{
	for (size_t i = 0; i < inv->nhosts; i++) {
		if (has_tags(&inv->hosts[i], g))
			return true;
	}
	return false;
}

void inventory_check_groups(struct reading *r, const struct inventory *inv)
{
	size_t n = inv->ngroups + 1;
	struct search s = { .r = r, .inv = inv };

	s.path = arena_array(r->a, n, sizeof(*s.path));
	s.done = arena_array(r->a, n, sizeof(*s.done));
	for (size_t i = 0; i < inv->ngroups; i++) {
		const struct inventory_group *g = &inv->groups[i];

		search_group(&s, g);
		for (size_t k = 0; k < g->nmembers; k++) {
			if (!is_known(inv, g->members[k]))
				unknown_member(r, inv, g->member_at[k],
					       g->members[k]);
		}
		if (g->ntags > 0 && !any_has_tags(inv, g))
			diag_add(&r->d, g->at,
				 "group \"%s\": no host has %s \"%s\"", g->name,
				 g->ntags > 1 ? "all of the tags" : "the tag",
				 diag_list(r->a, g->tags, g->ntags));
	}
}

// A list of hosts that grows.
struct choice {
	const struct inventory *inv; // or NULL
	const struct matrix *m;
	struct diags d;
	struct inventory_host *hosts;
	size_t *from; // which name of the matrix brought it
	size_t n, hosts_cap, from_n, from_cap;
	size_t name;	  // of the matrix, that is looked at now
	bool *seen_group; // by this name
};

// What follows the user, or all of it.
static const char *machine_of(const struct inventory_host *h)
{
	const char *to = h->destination[0] != '\0' ? h->destination : h->name;
	const char *at = strchr(to, '@');

	if (inventory_is_local(h->name))
		return INVENTORY_LOCAL;
	return at != NULL ? at + 1 : to;
}

static void told_twice(struct choice *c, const struct inventory_host *a,
		       size_t a_from, const struct inventory_host *b)
{
	const char *const *names = c->m->hosts;
	struct place at = c->m->hosts_at[c->name];

	if (strcmp(a->name, b->name) == 0)
		diag_add(&c->d, at,
			 "host \"%s\" is listed twice: by \"%s\" "
			 "and by \"%s\"",
			 a->name, names[a_from], names[c->name]);
	else
		diag_add(&c->d, at,
			 "hosts \"%s\" and \"%s\" are one machine, %s: trials "
			 "on it would disturb each other; take one away",
			 a->name, b->name, machine_of(a));
}

static void add_host(struct choice *c, const struct inventory_host *h)
{
	size_t *from;

	for (size_t i = 0; i < c->n; i++) {
		const struct inventory_host *old = &c->hosts[i];

		if (strcmp(machine_of(old), machine_of(h)) != 0)
			continue;
		if (strcmp(old->name, h->name) != 0 || c->from[i] != c->name)
			told_twice(c, old, c->from[i], h);
		return;
	}
	*(struct inventory_host *)arena_push(c->d.arena, &c->hosts, &c->n,
					     &c->hosts_cap, sizeof(*c->hosts)) =
		*h;
	from = arena_push(c->d.arena, &c->from, &c->from_n, &c->from_cap,
			  sizeof(*c->from));
	*from = c->name;
}

static void add_unlisted(struct choice *c, const char *name)
{
	struct inventory_host h = { .name = name,
				    .at = c->m->hosts_at[c->name] };

	inventory_set_defaults(&h, c->d.arena);
	add_host(c, &h);
}

static void add_group(struct choice *c, const struct inventory_group *g);

static void add_name(struct choice *c, const char *name)
{
	const struct inventory_group *g = inventory_find_group(c->inv, name);
	const struct inventory_host *h = inventory_find_host(c->inv, name);

	if (h != NULL)
		add_host(c, h);
	else if (g != NULL)
		add_group(c, g);
	else
		add_unlisted(c, name);
}

// Recursive; no deeper than there are groups.
static void add_group(struct choice *c, const struct inventory_group *g)
{
	bool *seen = &c->seen_group[g - c->inv->groups];

	if (*seen)
		return;
	*seen = true;
	for (size_t i = 0; i < g->nmembers; i++)
		add_name(c, g->members[i]);
	for (size_t i = 0; i < c->inv->nhosts; i++) {
		if (has_tags(&c->inv->hosts[i], g))
			add_host(c, &c->inv->hosts[i]);
	}
}

// Everything that stays hangs on the matrix.
static void keep_copy(struct arena *a, struct inventory_host *h)
{
	h->name = arena_strdup(a, h->name);
	h->destination = arena_strdup(a, h->destination);
	h->qemu = arena_strdup(a, h->qemu);
	h->tags = NULL;
	h->ntags = 0;
}

void inventory_set_hosts(struct matrix *m, struct inventory_host *hosts,
			 size_t n)
{
	m->hosts = arena_array(m->arena, n + 1, sizeof(*m->hosts));
	m->hosts_at = arena_array(m->arena, n + 1, sizeof(*m->hosts_at));
	m->nhosts = n;
	for (size_t i = 0; i < n; i++) {
		keep_copy(m->arena, &hosts[i]);
		m->hosts[i] = hosts[i].name;
		m->hosts_at[i] = hosts[i].at;
	}
}

int inventory_resolve(const struct inventory *inv, struct matrix *m,
		      struct inventory_host **out, struct err *e)
{
	struct choice c = { .inv = inv, .m = m, .d.arena = m->arena };
	size_t ngroups = inv != NULL ? inv->ngroups : 0;

	for (c.name = 0; c.name < m->nhosts; c.name++) {
		c.seen_group = arena_array(m->arena, ngroups + 1,
					   sizeof(*c.seen_group));
		add_name(&c, m->hosts[c.name]);
	}
	if (c.n > INVENTORY_HOSTS_MAX)
		diag_add(&c.d, m->hosts_at[0], "hosts: %zu: more than %d", c.n,
			 INVENTORY_HOSTS_MAX);
	if (diag_report(&c.d, e) < 0)
		return -1;
	inventory_set_hosts(m, c.hosts, c.n);
	*out = c.hosts;
	return 0;
}
