// make_campaign DIR [HOSTS CELLS ROUNDS]: a results directory as a campaign of
// the synthetic workload leaves it, but that nothing was run: plan, facts of
// hosts, journal. The same bytes each time. DIR must not exist. Hosts run side
// by side, so that their records are mixed.
#include <stdio.h>
#include <sys/stat.h>

#include "runner/base/fd.h"
#include "runner/base/strv.h"
#include "runner/campaign/store.h"
#include "tests/fake/campaigns.h"

enum {
	SEED = 20240229,
	HOSTS = 100,
	CELLS = 100,
	ROUNDS = 100,
	EFFECTS = 10, // levels of the compared factor
};

#define FIRST_WALL_NS 1700000000000000000LL
#define FIRST_MONO_NS 3600000000000LL
#define TRIAL_NS      3000000000LL

struct making {
	const struct plan *plan;
	const struct synthetic_params *models; // by cell
	const struct js *times, *facts;
	FILE *trials;
};

// Means stand for what the arms of a comparison have in common.
static void put_matrix(struct buf *out, unsigned hosts, unsigned cells,
		       unsigned rounds)
{
	buf_puts(out, "name: made\nfactors:\n  effect: [0");
	for (unsigned i = 1; i < EFFECTS; i++)
		buf_printf(out, ", %g", i * 0.001);
	buf_puts(out, "]\n  mean: [100");
	for (unsigned i = 1; i < cells / EFFECTS; i++)
		buf_printf(out, ", %u", 100 * (i + 1));
	buf_puts(out, "]\nfixed: {accel: native}\nhosts: [host0");
	for (unsigned i = 1; i < hosts; i++)
		buf_printf(out, ", host%u", i);
	buf_printf(out,
		   "]\nworkloads: [synthetic: {cv: 1%%, boot-cv: 0.5%%}]\n"
		   "compare: {metric: synthetic.value, baseline: {effect: 0}, "
		   "margin: 2%%}\ndesign: {rounds: %u, seed: %d}\n",
		   rounds, SEED);
}

static void write_file(const char *dir, const char *name, const struct js *j)
{
	CLEANUP(cleanup_free) char *path = xasprintf("%s/%s", dir, name);
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct err e = { 0 };

	js_print_pretty(j, &text);
	campaigns_need(file_replace(path, text.data, text.len, &e), &e);
}

static struct js *parse(const char *text)
{
	struct err e = { 0 };
	struct js *j = js_parse(text, strlen(text), "make_campaign", &e);

	campaigns_need(j != NULL ? 0 : -1, &e);
	return j;
}

static void write_record(const struct making *m, const struct record *r)
{
	CLEANUP(js_unrefp) struct js *j = record_to_js(r);
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;

	js_print(j, &line);
	buf_putc(&line, '\n');
	if (fwrite(line.data, 1, line.len, m->trials) != line.len)
		abort();
}

static void write_trial(const struct making *m, const struct plan_trial *t,
			size_t turn)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct synthetic_params *p = &m->models[t->cell];
	struct workload_place at = { m->plan->seed, t->id, t->boot };
	struct synthetic_draw d = synthetic_draw(p, &at);
	struct record r = campaigns_record(m->plan, t);

	r.boot_attempt = 1;
	r.event = RECORD_STARTED;
	r.wall_ns = FIRST_WALL_NS + (int64_t)turn * TRIAL_NS + t->host;
	write_record(m, &r);
	r.event = RECORD_FINISHED;
	r.wall_ns += TRIAL_NS;
	r.mono_ns = FIRST_MONO_NS + (int64_t)turn * TRIAL_NS;
	r.result = campaigns_result(p, &d, a);
	r.result->times = js_ref(m->times);
	r.result->facts = js_ref(m->facts);
	write_record(m, &r);
	js_unref(r.result->times);
	js_unref(r.result->facts);
}

// The plan lists the trials by host; in time the hosts take turns.
static void write_trials(const struct making *m)
{
	size_t each = m->plan->ntrials / m->plan->nhosts;

	for (size_t turn = 0; turn < each; turn++)
		for (size_t h = 0; h < m->plan->nhosts; h++)
			write_trial(m, &m->plan->trials[h * each + turn], turn);
}

static void write_journal(const char *dir, struct making *m)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(cleanup_free) char *path = xasprintf("%s/" STORE_TRIALS, dir);
	CLEANUP(js_unrefp)
	struct js *times = parse("{\"guest\":{\"run_ns\":2000123456},"
				 "\"begin_mono_ns\":3600000123456,"
				 "\"boot_ns\":812345678,\"run_ns\":2000654321,"
				 "\"trial_ns\":2900123456}");
	CLEANUP(js_unrefp)
	struct js *facts = parse(
		"{\"synthetic\":{},\"agent\":{\"argv\":[\"/proc/self/exe\","
		"\"guest\",\"--fd\",\"5\"]},\"guest\":{\"kernel\":"
		"\"6.1.0-31-cloud-amd64\",\"arch\":\"x86_64\",\"cmdline\":"
		"\"console=ttyS0 quiet panic=1\",\"clocksource\":\"tsc\","
		"\"memory_bytes\":536870912,\"cpus\":1,\"cpu_model\":"
		"\"Intel(R) Xeon(R) Processor\",\"hypervisor\":true,"
		"\"mitigations\":{\"spectre_v2\":\"Mitigation: Retpolines\","
		"\"mds\":\"Not affected\",\"l1tf\":\"Not affected\"},"
		"\"debug\":[]}}");

	m->models = campaigns_models(m->plan, a);
	m->times = times;
	m->facts = facts;
	m->trials = fopen(path, "wx");
	if (m->trials == NULL)
		abort();
	write_trials(m);
	if (fclose(m->trials) != 0)
		abort();
}

static void make(const char *dir, struct plan *plan)
{
	CLEANUP(js_unrefp) struct js *j = plan_to_js(plan);
	CLEANUP(js_unrefp)
	struct js *hosts = parse("{\"v\":1,\"sessions\":[{\"utc\":"
				 "\"2023-11-14T22:13:20Z\",\"vrun\":\"0.1.0\","
				 "\"hosts\":[]}]}");
	struct making m = { .plan = plan };

	write_file(dir, STORE_PLAN, j);
	write_file(dir, STORE_HOSTS, hosts);
	write_journal(dir, &m);
}

static bool read_sizes(char **argv, int n, unsigned sizes[3])
{
	for (int i = 0; i < n; i++) {
		char *end;

		sizes[i] = (unsigned)strtoul(argv[i], &end, 10);
		if (*end != '\0' || sizes[i] == 0)
			return false;
	}
	return sizes[1] % EFFECTS == 0;
}

int main(int argc, char **argv)
{
	CLEANUP(matrix_freep) struct matrix *matrix = NULL;
	CLEANUP(plan_freep) struct plan *plan = NULL;
	CLEANUP(buf_deinit) struct buf yaml = BUF_INIT;
	unsigned sizes[] = { HOSTS, CELLS, ROUNDS };
	struct err e = { 0 };

	if (argc < 2 || argc > 5 || !read_sizes(argv + 2, argc - 2, sizes)) {
		fprintf(stderr, "usage: make_campaign DIR [HOSTS CELLS ROUNDS]"
				"; CELLS in tens\n");
		return 2;
	}
	if (mkdir(argv[1], 0755) != 0) {
		perror(argv[1]);
		return 1;
	}
	put_matrix(&yaml, sizes[0], sizes[1], sizes[2]);
	matrix = campaigns_matrix(buf_str(&yaml));
	campaigns_need(plan_build(matrix, SEED, &plan, &e), &e);
	make(argv[1], plan);
	return 0;
}
