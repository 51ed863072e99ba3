#include "runner/cmd/measure.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "runner/base/alloc.h"
#include "runner/base/log.h"
#include "runner/base/strv.h"
#include "runner/campaign/environment.h"
#include "runner/campaign/hooks.h"
#include "runner/campaign/index.h"
#include "runner/campaign/overview.h"
#include "runner/campaign/results.h"
#include "runner/transport/find.h"

static enum progress_mode mode_of(const struct cmd_args *args)
{
	const char *term = getenv("TERM");

	if (cmd_has(args, "quiet"))
		return PROGRESS_QUIET;
	if (isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0)
		return PROGRESS_LIVE;
	return PROGRESS_LINES;
}

int measure_init(struct measure *m, const struct cmd_args *args,
		 const struct source *source, struct err *e)
{
	*m = (struct measure){ .args = args, .source = source };
	if (show_check(args, e) < 0)
		return -1;
	if (cmd_has(args, "verbose"))
		log_set_level(LOG_INFO);
	findings_init(&m->findings);
	m->progress = progress_new(STDERR_FILENO, mode_of(args));
	return 0;
}

void measure_deinit(struct measure *m)
{
	campaign_free(m->campaign);
	journal_close(m->journal);
	store_close(m->store);
	progress_free(m->progress);
	findings_deinit(&m->findings);
	free(m->image);
	free(m->name);
	js_unref(m->hooks);
}

int measure_gather_hooks(struct measure *m, struct err *e)
{
	CLEANUP(cleanup_free) char *copy = xstrdup(m->source->file);

	if (m->source->plan->hooks == NULL)
		return 0;
	m->hooks = hooks_gather(m->source->plan, dirname(copy), e);
	return m->hooks == NULL ? -1 : 0;
}

int measure_reload_hooks(struct measure *m, const char *dir, struct err *e)
{
	if (m->source->plan->hooks == NULL)
		return 0;
	m->hooks = store_read_js(dir, STORE_HOOKS, e);
	return m->hooks == NULL ? -1 : 0;
}

// What the controller's own hooks are told. `answer` may be NULL.
static int run_hooks(const struct measure *m, const char *stage,
		     const char *state, const char *answer, struct err *e)
{
	CLEANUP(strv_deinit) struct strv env = STRV_INIT;
	struct schedule_counts n = campaign_count(m->campaign);

	strv_addf(&env, "VRUN_RESULTS=%s", m->store->dir);
	strv_addf(&env, "VRUN_NAME=%s", m->source->plan->name);
	strv_addf(&env, "VRUN_QUESTION=%s", m->source->plan->question);
	strv_addf(&env, "VRUN_STATE=%s", state);
	strv_addf(&env, "VRUN_TRIALS=%zu", n.trials);
	strv_addf(&env, "VRUN_TRIALS_OVER=%zu", n.over);
	if (answer != NULL)
		strv_addf(&env, "VRUN_ANSWER=%s", answer);
	return hooks_run_here(m->hooks, stage, m->store->dir, &env, e);
}

// The campaign is over: what its last hook could not do does not undo it.
static bool end_hooks(const struct measure *m, const char *state,
		      const char *answer)
{
	struct err e = { 0 };

	if (run_hooks(m, "after-campaign", state, answer, &e) == 0)
		return true;
	progress_say(m->progress, true, "vrun: %s", e.msg);
	return false;
}

static int draw_name(struct measure *m, struct err *e)
{
	uint64_t draw;

	if (getrandom(&draw, sizeof(draw), 0) != (ssize_t)sizeof(draw))
		return err_sys(e, ERR_HOST, "getrandom");
	m->name = xasprintf("%.*s-%016llx", STORE_ID_CHARS, m->source->plan->id,
			    (unsigned long long)draw);
	return 0;
}

int measure_name(struct measure *m, struct err *e)
{
	CLEANUP(js_unrefp) struct js *hosts = NULL;
	const char *name;

	// Before it is written no trial began, and no agent holds one.
	if (m->store == NULL || !store_has(m->store->dir, STORE_HOSTS))
		return draw_name(m, e);
	hosts = store_read_js(m->store->dir, STORE_HOSTS, e);
	if (hosts == NULL)
		return -1;
	name = js_get_str(hosts, "campaign", NULL);
	if (name == NULL)
		return draw_name(m, e);
	m->name = xstrdup(name);
	return 0;
}

static const char **texts_in(struct arena *a, const struct js *all)
{
	const char **texts = arena_array(a, js_len(all) + 1, sizeof(*texts));

	for (size_t i = 0; i < js_len(all); i++)
		texts[i] = arena_strdup(a, js_str(js_at(all, i)));
	return texts;
}

// Paths that could be copied to the host: QEMU of PATH and the image that is
// built in are none.
static void name_copies(const struct plan *p, struct arena *a,
			const struct inventory_host *h,
			struct transport_target *t)
{
	CLEANUP(js_unrefp) struct js *qemus = preflight_qemus(p, h->qemu);
	CLEANUP(js_unrefp) struct js *images = preflight_images(p);
	const char **q = texts_in(a, qemus), **i = texts_in(a, images);

	for (size_t k = 0; k < js_len(qemus); k++) {
		if (q[k][0] == '/')
			q[t->nqemus++] = q[k];
	}
	for (size_t k = 0; k < js_len(images); k++) {
		if (strcmp(i[k], "builtin") != 0)
			i[t->nimages++] = i[k];
	}
	t->qemus = q;
	t->images = i;
}

static void new_campaign(struct measure *m)
{
	const struct source *s = m->source;
	CLEANUP(cleanup_free)
	struct transport_target *targets =
		xcalloc(s->plan->nhosts, sizeof(*targets));
	bool fio;

	if (preflight_needs_image(s->plan, &fio))
		m->image = find_image();
	for (size_t i = 0; i < s->plan->nhosts; i++) {
		targets[i] = hosts_target(&s->hosts[i]);
		targets[i].campaign = m->name;
		targets[i].image = m->image;
		targets[i].image_with_fio = fio;
		name_copies(s->plan, s->matrix->arena, &s->hosts[i],
			    &targets[i]);
		targets[i].accept_new_host_key =
			cmd_has(m->args, "accept-new-host-key");
	}
	m->campaign = campaign_new(s->plan, targets, NULL, m->progress);
	for (size_t i = 0; i < s->plan->nhosts; i++)
		campaign_set_qemu(m->campaign, i, s->hosts[i].qemu);
	campaign_set_hooks(m->campaign, m->hooks);
}

int measure_preflight(struct measure *m, struct err *e)
{
	const struct matrix *matrix = m->source->matrix;

	new_campaign(m);
	progress_say(m->progress, false, "vrun: looking at the hosts");
	if (campaign_prepare(m->campaign, &m->findings, e) < 0)
		return -1;
	for (size_t i = 0; i < matrix->nrequire; i++)
		findings_require(&m->findings, matrix->require[i].key,
				 matrix->require[i].value);
	return 0;
}

void measure_print_hosts(const struct measure *m, struct buf *out)
{
	const struct plan *plan = m->source->plan;
	const struct findings *f = &m->findings;
	CLEANUP(js_unrefp) struct js *hosts = NULL;
	CLEANUP(cleanup_free) uint64_t *takes_ns = NULL;

	if (plan->nhosts == 1) {
		findings_print(f, FINDING_OK, out);
		return;
	}
	hosts = campaign_hosts(m->campaign, f);
	takes_ns = xcalloc(plan->nhosts, sizeof(*takes_ns));
	plan_estimate_hosts(plan, PLAN_BOOT_NS, takes_ns);
	overview_print(hosts, takes_ns, f, out);
}

int measure_judge(struct measure *m, struct err *e)
{
	CLEANUP(buf_deinit) struct buf table = BUF_INIT;
	bool quiet = cmd_has(m->args, "quiet");
	size_t refused = findings_count(&m->findings, FINDING_REFUSE);

	if (quiet)
		findings_print(&m->findings, FINDING_REFUSE, &table);
	else
		measure_print_hosts(m, &table);
	fputs(buf_str(&table), stderr);
	if (refused == 0)
		return 0;
	campaign_dismiss(m->campaign);
	return err_set(e, ERR_REFUSED,
		       "preflight: %zu finding%s above refuse%s to run this "
		       "matrix; mend %s, or see `require:` in `vrun help "
		       "matrix`",
		       refused, refused == 1 ? "" : "s",
		       refused == 1 ? "s" : "", refused == 1 ? "it" : "them");
}

// The session's facts join those of former ones.
static int keep_hosts(struct measure *m, const struct journal_log *log,
		      struct err *e)
{
	CLEANUP(js_unrefp) struct js *former = NULL;
	CLEANUP(js_unrefp) struct js *all = NULL;

	// Missing where a first session ended before it was written.
	if (log != NULL && store_has(m->store->dir, STORE_HOSTS)) {
		former = store_read_js(m->store->dir, STORE_HOSTS, e);
		if (former == NULL)
			return -1;
	}
	all = environment_add_session(former,
				      campaign_hosts(m->campaign, &m->findings),
				      VRUN_VERSION);
	js_set_str(all, "campaign", m->name);
	return store_write_js(m->store, STORE_HOSTS, all, e);
}

static int open_journal(struct measure *m, const struct journal_log *log,
			struct err *e)
{
	CLEANUP(cleanup_free) char *path = store_path(m->store, STORE_TRIALS);

	if (log != NULL && log->torn_bytes > 0)
		progress_say(m->progress, true,
			     "vrun: %s: the last line was torn; its %llu bytes "
			     "are cut off and its trial is run again",
			     path, (unsigned long long)log->torn_bytes);
	return journal_open(path, log, &m->journal, e);
}

// Adds the command that goes on, as a shell would read it.
static void say_how_to_resume(const struct measure *m, struct err *e)
{
	CLEANUP(strv_deinit) struct strv command = STRV_INIT;
	CLEANUP(buf_deinit) struct buf line = BUF_INIT;
	size_t used = strlen(e->msg);

	strv_add(&command, "vrun");
	strv_add(&command, "resume");
	strv_add(&command, m->store->dir);
	strv_quote(&command, &line);
	snprintf(e->msg + used, sizeof(e->msg) - used, "; go on with: %s",
		 buf_str(&line));
}

// The campaign is whole without it.
static void update_index(const struct measure *m)
{
	CLEANUP(cleanup_free) char *path = xstrdup(m->store->dir);
	struct err e = { 0 };

	if (index_write(dirname(path), &e) < 0)
		progress_say(m->progress, true,
			     "vrun: the list of campaigns is as it was: %s",
			     e.msg);
}

int measure_run(struct measure *m, const struct journal_log *log, struct err *e)
{
	if (keep_hosts(m, log, e) < 0 || open_journal(m, log, e) < 0 ||
	    campaign_attach(m->campaign, m->store, m->journal, log, e) < 0 ||
	    run_hooks(m, "before-campaign", "begun", NULL, e) < 0)
		return -1;
	if (campaign_run(m->campaign, e) == 0)
		return 0;
	end_hooks(m, e->kind == ERR_INTERRUPTED ? "interrupted" : "failed",
		  NULL);
	if (e->kind == ERR_INTERRUPTED || e->kind == ERR_STORE)
		say_how_to_resume(m, e);
	update_index(m);
	return -1;
}

static int write_reports(const struct measure *m, const struct results *r,
			 struct err *e)
{
	CLEANUP(cleanup_free)
	char *figures = store_path(m->store, STORE_FIGURES);

	for (int f = 0; f < REPORT_FORMATS; f++) {
		CLEANUP(buf_deinit) struct buf text = BUF_INIT;

		report_write(&r->report, (enum report_format)f, &text);
		if (store_write(m->store,
				report_file_name((enum report_format)f),
				buf_str(&text), text.len, e) < 0)
			return -1;
	}
	return show_figures(&r->report, figures, e);
}

static int finish(const struct measure *m, struct err *e)
{
	if (store_finish(m->store, e) < 0)
		return -1;
	update_index(m);
	return 0;
}

// Trials without a figure make no comparison; they are still told.
static int no_report(struct measure *m, int *status, struct err *e)
{
	if (e->kind == ERR_STORE)
		return -1;
	progress_say(m->progress, true, "vrun: no report: %s", e->msg);
	*status = CMD_INCOMPLETE;
	return finish(m, e);
}

// The answer that the report gives, for the hooks. With nothing left to be
// done by the campaign there is no answer of this session's to tell.
static bool tell_answer(const struct measure *m, const struct results *r)
{
	CLEANUP(buf_deinit) struct buf answer = BUF_INIT;

	if (m->journal == NULL)
		return true;
	report_answer(&r->report, &answer);
	return end_hooks(m, results_is_whole(r) ? "complete" : "incomplete",
			 buf_str(&answer));
}

int measure_report(struct measure *m, int *status, struct err *e)
{
	CLEANUP(results_freep) struct results *r = NULL;
	bool told;

	progress_clear(m->progress);
	if (results_load(m->store->dir, RESULTS_ENDED, &r, e) < 0)
		return no_report(m, status, e);
	if (write_reports(m, r, e) < 0 || finish(m, e) < 0)
		return -1;
	progress_say(m->progress, false, "vrun: results are in %s",
		     m->store->dir);
	told = tell_answer(m, r);
	*status = told && results_is_whole(r) ? CMD_OK : CMD_INCOMPLETE;
	return show_report(m->args, &r->report, e);
}
