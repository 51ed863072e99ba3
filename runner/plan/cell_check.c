#include "runner/plan/cell_check.h"

#include <string.h>

#include "runner/base/units.h"

enum {
	SIZE_CHARS = 32
};

struct checking {
	const struct matrix *m;
	struct diags *d;
};

// A size that must be a multiple of another, and why.
struct fit {
	size_t owner;
	const char *param;
	int64_t size, unit;
	const char *why;
};

static struct place place_of(const struct checking *c, size_t owner,
			     const char *param)
{
	const struct matrix_owner *o = &c->m->owners[owner];
	const char *kind = o->kind == NULL ? NULL : o->kind->name;
	const struct matrix_slot *slot =
		&o->slots[param_index(param_find(kind, param))];

	if (slot->given)
		return slot->at;
	return (struct place){ c->m->file, 0, 0 };
}

static void check_fit(const struct checking *c, const struct fit *f)
{
	char size[SIZE_CHARS], unit[SIZE_CHARS];

	if (f->unit <= 0 || f->size % f->unit == 0)
		return;
	units_format_size((uint64_t)f->size, size, sizeof(size));
	units_format_size((uint64_t)f->unit, unit, sizeof(unit));
	diag_add(c->d, place_of(c, f->owner, f->param),
		 "%s: %s is no multiple of %s, %s", f->param, size, unit,
		 f->why);
}

static void check_memory(const struct checking *c, const struct js *vm)
{
	struct fit f = {
		.owner = MATRIX_VM,
		.param = "memory",
		.size = js_get_int(vm, "memory", 0),
		.unit = 1 << 30,
		.why = "the page of backing hugetlb-1G",
	};

	// Smaller pages divide whatever the table allows.
	if (strcmp(js_get_str(vm, "backing", ""), "hugetlb-1G") == 0)
		check_fit(c, &f);
}

// QEMU would go on in a process that nobody watches, and outlive its trial.
static void check_args(const struct checking *c, const struct js *vm)
{
	const struct js *args = js_get(vm, "qemu-args");

	for (size_t i = 0; i < js_len(args); i++) {
		const char *arg = js_str(js_at(args, i));

		if (strcmp(arg + strspn(arg, "-"), "daemonize") == 0)
			diag_add(c->d, place_of(c, MATRIX_VM, "qemu-args"),
				 "qemu-args: \"%s\" would let QEMU outlive its "
				 "trial; take it away",
				 arg);
	}
}

static void check_block(const struct checking *c, size_t owner,
			const struct js *w)
{
	struct fit f = {
		.owner = owner,
		.param = "bs",
		.size = js_get_int(w, "bs", 0),
		.unit = js_get_int(w, "null_bs", 0),
		.why = "null_bs",
	};

	if (strcmp(js_get_str(w, "device", ""), "null_blk") == 0)
		check_fit(c, &f);
}

// A part of the size for each job, of an I/O at least. A job file of the
// user's has sizes of its own.
static void check_size(const struct checking *c, size_t owner,
		       const struct js *w)
{
	int64_t size = js_get_int(w, "size", 0), bs = js_get_int(w, "bs", 0);
	int64_t jobs = js_get_int(w, "jobs", 1);
	char text[SIZE_CHARS];

	if (size <= 0 || bs <= 0 || size / bs >= jobs ||
	    js_get_str(w, "fio-job", "")[0] != '\0')
		return;
	units_format_size((uint64_t)bs, text, sizeof(text));
	diag_add(c->d, place_of(c, owner, "size"),
		 "size: is too small for %lld job%s of %s an I/O",
		 (long long)jobs, jobs == 1 ? "" : "s", text);
}

// null_blk makes no more queues than there are CPUs: every trial of the cell
// would be invalid. The CPUs of a host are not known here.
static void check_queues(const struct checking *c, size_t owner,
			 const struct js *vm, const struct js *w)
{
	int64_t queues = js_get_int(w, "submit_queues", 0);
	int64_t cpus = js_get_int(vm, "cpus", INT64_MAX);

	if (strcmp(js_get_str(vm, "accel", ""), "native") == 0 ||
	    strcmp(js_get_str(w, "device", ""), "null_blk") != 0 ||
	    queues <= cpus)
		return;
	diag_add(c->d, place_of(c, owner, "submit_queues"),
		 "submit_queues: null_blk makes no more than the guest has "
		 "CPUs: %lld with cpus %lld",
		 (long long)queues, (long long)cpus);
}

// Under accel: native there is no guest.
static void check_hooks(const struct checking *c, const struct plan *p)
{
	size_t native = 0;

	for (size_t i = 0; i < p->ncells; i++)
		native += strcmp(js_get_str(p->cells[i].vm, "accel", ""),
				 "native") == 0;
	for (size_t i = 0; native > 0 && i < c->m->nhooks; i++) {
		const struct matrix_hook *h = &c->m->hooks[i];

		if (h->on == MATRIX_ON_GUEST)
			diag_add(
				c->d, h->on_at,
				"hooks: %s: on: guest needs a VM, and %s under "
				"accel: native, which has none; write on: "
				"host, where those workloads run",
				h->stage->name,
				native == p->ncells ? "every cell runs"
						    : "some cells run");
	}
}

void cell_check(const struct matrix *m, const struct plan *p, struct diags *d)
{
	struct checking c = { m, d };

	check_hooks(&c, p);
	for (size_t i = 0; i < p->ncells; i++) {
		const struct plan_cell *cell = &p->cells[i];

		check_memory(&c, cell->vm);
		check_args(&c, cell->vm);
		for (size_t o = 1; o < m->nowners; o++) {
			const struct js *w = js_at(cell->workloads, o - 1);

			check_block(&c, o, w);
			check_size(&c, o, w);
			check_queues(&c, o, cell->vm, w);
		}
	}
}
