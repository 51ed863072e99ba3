#include "runner/campaign/preflight.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/checks.h"
#include "runner/base/plain.h"
#include "runner/base/units.h"
#include "runner/campaign/store.h"
#include "runner/proto/message.h"

enum {
	ROOM_PER_TRIAL = 64 << 10, // record, console and logs of a usual trial
};

static const char *const level_names[] = {
	[FINDING_OK] = "ok",
	[FINDING_WARN] = "warn",
	[FINDING_REFUSE] = "refuse",
};

static const struct page_size {
	const char *backing, *key;
	int64_t bytes;
} page_sizes[] = {
	{ "hugetlb-2M", "2M", 2LL << 20 },
	{ "hugetlb-1G", "1G", 1LL << 30 },
};

const char *finding_level_name(enum finding_level l)
{
	return level_names[l];
}

int finding_level_from_name(const char *name, enum finding_level *out)
{
	for (size_t i = 0; i < ARRAY_LEN(level_names); i++) {
		if (strcmp(level_names[i], name) == 0) {
			*out = (enum finding_level)i;
			return 0;
		}
	}
	return -1;
}

void findings_init(struct findings *f)
{
	*f = (struct findings){ .arena = arena_new() };
}

void findings_deinit(struct findings *f)
{
	arena_free(f->arena);
	*f = (struct findings){ 0 };
}

static const char *plain_copy(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text);

	plain_text(copy);
	return copy;
}

void findings_add(struct findings *f, const struct finding *one)
{
	struct finding *to;

	to = arena_push(f->arena, &f->items, &f->n, &f->cap, sizeof(*to));
	*to = (struct finding){
		.host = plain_copy(f->arena, one->host),
		.check = plain_copy(f->arena, one->check),
		.what = plain_copy(f->arena, one->what),
		.fix = one->fix ? plain_copy(f->arena, one->fix) : NULL,
		.level = one->level,
	};
}

static size_t count_of_host(const struct findings *f, const char *host)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += strcmp(f->items[i].host, host) == 0;
	return n;
}

static bool is_short(const char *s)
{
	return s == NULL || strlen(s) <= FINDING_TEXT_MAX;
}

int findings_add_message(struct findings *f, const char *host,
			 const struct js *body, struct err *e)
{
	struct finding one = {
		.host = host,
		.check = js_get_str(body, "check", ""),
		.what = js_get_str(body, "what", ""),
		.fix = js_get_str(body, "fix", NULL),
	};
	const char *level = js_get_str(body, "level", "");

	if (finding_level_from_name(level, &one.level) < 0)
		return err_set(e, ERR_HOST,
			       "finding \"%.32s\" of unknown level \"%.32s\"",
			       one.check, level);
	if (count_of_host(f, host) >= FINDINGS_MAX || !is_short(one.check) ||
	    !is_short(one.what) || !is_short(one.fix))
		return err_set(e, ERR_HOST,
			       "more than %d findings, or longer "
			       "than %d bytes",
			       FINDINGS_MAX, FINDING_TEXT_MAX);
	findings_add(f, &one);
	return 0;
}

void findings_require(struct findings *f, const char *check, const char *level)
{
	struct finding none = { .host = "here",
				.check = check,
				.level = FINDING_WARN,
				.what = "is required but was not looked at" };
	enum finding_level l;
	bool made = false;

	if (finding_level_from_name(level, &l) < 0)
		l = FINDING_OK; // "ignore"
	for (size_t i = 0; i < f->n; i++) {
		if (strcmp(f->items[i].check, check) != 0)
			continue;
		made = true;
		if (f->items[i].level != FINDING_OK)
			f->items[i].level = l;
	}
	if (!made && l != FINDING_OK)
		findings_add(f, &none);
}

size_t findings_count(const struct findings *f, enum finding_level l)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		n += f->items[i].level == l;
	return n;
}

void findings_print(const struct findings *f, enum finding_level from,
		    struct buf *out)
{
	int host = 0, check = 0;

	for (size_t i = 0; i < f->n; i++) {
		host = MAX(host, (int)strlen(f->items[i].host));
		check = MAX(check, (int)strlen(f->items[i].check));
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct finding *one = &f->items[i];

		if (one->level < from)
			continue;
		buf_printf(out, "%-6s  %-*s  %-*s  %s\n",
			   level_names[one->level], host, one->host, check,
			   one->check, one->what);
		if (one->fix != NULL)
			buf_printf(out, "%*sfix: %s\n", 6 + host + check + 6,
				   "", one->fix);
	}
}

struct js *findings_to_js(const struct findings *f, const char *host)
{
	struct js *list = js_array();

	for (size_t i = 0; i < f->n; i++) {
		const struct finding *one = &f->items[i];
		struct js *j;

		if (host != NULL && strcmp(host, one->host) != 0)
			continue;
		j = js_object();
		js_set_str(j, "host", one->host);
		js_set_str(j, "check", one->check);
		js_set_str(j, "level", level_names[one->level]);
		js_set_str(j, "what", one->what);
		js_set_str(j, "fix", one->fix);
		js_append(list, j);
	}
	return list;
}

static bool is_native(const struct js *vm)
{
	return strcmp(js_get_str(vm, "accel", ""), "native") == 0;
}

bool preflight_needs_image(const struct plan *p, bool *with_fio)
{
	bool needs = false;

	*with_fio = false;
	for (size_t i = 0; i < p->ncells; i++) {
		const struct plan_cell *c = &p->cells[i];

		if (is_native(c->vm) ||
		    strcmp(js_get_str(c->vm, "image", ""), "builtin") != 0)
			continue;
		needs = true;
		*with_fio |= message_wants_fio(c->workloads);
	}
	return needs;
}

// Takes item over.
static void append_new(struct js *list, struct js *item)
{
	for (size_t i = 0; i < js_len(list); i++) {
		if (js_equal(js_at(list, i), item)) {
			js_unref(item);
			return;
		}
	}
	js_append(list, item);
}

static void add_workloads(struct js *list, const struct js *workloads,
			  bool native)
{
	static const char *const keys[] = { "kind", "engine", "device",
					    "size" };

	for (size_t i = 0; i < js_len(workloads); i++) {
		const struct js *w = js_at(workloads, i);
		struct js *one = js_object();

		for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
			const struct js *v = js_get(w, keys[k]);

			if (v != NULL)
				js_set(one, keys[k], js_ref(v));
		}
		if (native)
			js_set_bool(one, "native", true);
		append_new(list, one);
	}
}

// Huge pages of one size that are to be reserved for a VM.
static int64_t pages_of(const struct plan_cell *c, const struct page_size *size)
{
	const struct js *vm = c->vm;
	const char *backing = js_get_str(vm, "backing", "");
	int64_t memory = js_get_int(vm, "memory", 0);

	if (is_native(vm) || strcmp(backing, size->backing) != 0 ||
	    js_get(c->host, "hugepages") != NULL) // to be kept as they are
		return 0;
	return memory / size->bytes + (memory % size->bytes != 0);
}

// Of each size, those that the largest VM of the plan takes.
static struct js *pages_needed(const struct plan *p)
{
	struct js *pages = js_object();

	for (size_t k = 0; k < ARRAY_LEN(page_sizes); k++) {
		int64_t most = 0;

		for (size_t i = 0; i < p->ncells; i++)
			most = MAX(most,
				   pages_of(&p->cells[i], &page_sizes[k]));
		if (most > 0)
			js_set_int(pages, page_sizes[k].key, most);
	}
	return pages;
}

// The values of one text parameter over all VMs, each once; `qemu` as for
// plan_cell_vm.
static struct js *texts_of(const struct plan *p, const char *qemu,
			   const char *key)
{
	struct js *list = js_array();

	for (size_t i = 0; i < p->ncells; i++) {
		CLEANUP(js_unrefp)
		struct js *vm = plan_cell_vm(&p->cells[i], qemu);
		const char *s = js_get_str(vm, key, NULL);

		if (s != NULL && (!is_native(vm) || strcmp(key, "accel") == 0))
			append_new(list, js_string(s));
	}
	return list;
}

static int64_t most_of(const struct plan *p, const char *key)
{
	int64_t most = 0;

	for (size_t i = 0; i < p->ncells; i++) {
		if (!is_native(p->cells[i].vm))
			most = MAX(most, js_get_int(p->cells[i].vm, key, 0));
	}
	return most;
}

// The settings of the host that cells ask for, each combination once.
static struct js *hosts_of(const struct plan *p)
{
	struct js *list = js_array();

	for (size_t i = 0; i < p->ncells; i++) {
		if (p->cells[i].host != NULL)
			append_new(list, js_ref(p->cells[i].host));
	}
	return list;
}

struct js *preflight_qemus(const struct plan *p, const char *qemu)
{
	return texts_of(p, qemu, "qemu");
}

struct js *preflight_images(const struct plan *p)
{
	return texts_of(p, "", "image");
}

struct js *preflight_needs(const struct plan *p, const char *qemu)
{
	static const char *const texts[][2] = {
		{ "accels", "accel" },
		{ "backings", "backing" },
		{ "qemus", "qemu" },
		{ "images", "image" },
	};
	struct js *needs = js_object(), *workloads = js_array();

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		js_set(needs, texts[i][0], texts_of(p, qemu, texts[i][1]));
	js_set_int(needs, "memory", most_of(p, "memory"));
	js_set_int(needs, "cpus", most_of(p, "cpus"));
	js_set(needs, "pages", pages_needed(p));
	for (size_t i = 0; i < p->ncells; i++)
		add_workloads(workloads, p->cells[i].workloads,
			      is_native(p->cells[i].vm));
	js_set(needs, "workloads", workloads);
	js_set(needs, "hosts", hosts_of(p));
	return needs;
}

struct js *preflight_settings(const struct plan *p)
{
	struct js *pages = pages_needed(p), *apply = js_object();

	if (js_len(pages) > 0)
		js_set(apply, "pages", pages);
	else
		js_unref(pages);
	return apply;
}

int preflight_store(const struct plan *p, const char *root, struct findings *f,
		    struct err *e)
{
	uint64_t room, need = ((uint64_t)STORE_ROOM_MIN_MIB << 20) +
			      p->ntrials * (uint64_t)ROOM_PER_TRIAL;
	struct finding one = { .host = "here",
			       .check = check_name(CHECK_RESULTS) };
	char what[256];

	if (root[0] == '\0')
		return err_set(e, ERR_USAGE,
			       "results in \"\": give --results a directory");
	if (store_probe(root, &room, e) < 0)
		return -1;
	if (room < (uint64_t)STORE_ROOM_MIN_MIB << 20)
		return err_set(e, ERR_STORE,
			       "results in %s: %llu MiB free, at least %d MiB "
			       "are needed; give --results DIR another place",
			       root, (unsigned long long)(room >> 20),
			       STORE_ROOM_MIN_MIB);
	snprintf(what, sizeof(what), "%s is writable, %llu MiB free", root,
		 (unsigned long long)(room >> 20));
	one.what = what;
	if (room < need) {
		one.level = FINDING_WARN;
		one.fix = "free room there, or give --results DIR another "
			  "place; the plan may need more";
	}
	findings_add(f, &one);
	return 0;
}
