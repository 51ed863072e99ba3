#include "runner/campaign/schedule.h"

#include <assert.h>
#include <string.h>

#include "runner/base/alloc.h"

struct trial_state {
	uint32_t attempts; // that were started
	uint32_t counted;  // of these, that ended not ok and were not lost
	enum outcome last; // of the last one that ended
	bool open;	   // started, not finished
	bool over;
};

struct boot_state {
	uint32_t life; // boot_attempt of the VM that lives or lived last
	bool spoiled;  // what comes next needs a fresh VM
};

struct schedule {
	const struct plan *plan;
	struct trial_state *trials;
	struct boot_state *boots;
	uint32_t nboots;
	size_t *cursor; // per host: no trial before it is to be run
	size_t *begin;	// per host: its first trial
	size_t *end;	// per host: behind its last trial
	struct schedule_counts counts;
};

static uint32_t count_boots(const struct plan *p)
{
	uint32_t n = 0;

	for (size_t i = 0; i < p->ntrials; i++)
		n = MAX(n, p->trials[i].boot + 1);
	return n;
}

// The trials of a host stand together.
static void find_ranges(struct schedule *s)
{
	for (size_t i = 0; i < s->plan->ntrials; i++) {
		uint32_t host = s->plan->trials[i].host;

		if (s->end[host] == 0)
			s->cursor[host] = s->begin[host] = i;
		s->end[host] = i + 1;
	}
}

struct schedule *schedule_new(const struct plan *plan)
{
	struct schedule *s = xcalloc(1, sizeof(*s));

	s->plan = plan;
	s->counts.trials = plan->ntrials;
	s->nboots = count_boots(plan);
	s->trials = xcalloc(plan->ntrials, sizeof(*s->trials));
	s->boots = xcalloc(s->nboots, sizeof(*s->boots));
	s->cursor = xcalloc(plan->nhosts, sizeof(*s->cursor));
	s->begin = xcalloc(plan->nhosts, sizeof(*s->begin));
	s->end = xcalloc(plan->nhosts, sizeof(*s->end));
	find_ranges(s);
	return s;
}

void schedule_free(struct schedule *s)
{
	if (s == NULL)
		return;
	free(s->trials);
	free(s->boots);
	free(s->cursor);
	free(s->begin);
	free(s->end);
	free(s);
}

void schedule_freep(struct schedule **s)
{
	schedule_free(*s);
	*s = NULL;
}

static int check_identity(const struct schedule *s, const struct record *r,
			  struct err *e)
{
	const struct plan_trial *t = &s->plan->trials[r->trial];
	const struct plan_cell *c = &s->plan->cells[t->cell];
	const char *host = s->plan->hosts[t->host];

	if (r->block != t->block || r->boot != t->boot ||
	    r->position != t->position || r->cell != t->cell ||
	    strcmp(r->host, host) != 0)
		return err_set(
			e, ERR_STORE,
			"trial %u stands elsewhere in the plan (host %s, "
			"block %u, cell %u)",
			r->trial, host, t->block, t->cell);
	if (!levels_equal(r->levels, r->nlevels, c->levels, c->nlevels))
		return err_set(e, ERR_STORE,
			       "trial %u: its levels are not those of its cell "
			       "in the plan, %s",
			       r->trial, c->label);
	return 0;
}

static size_t *count_of(struct schedule *s, enum outcome o)
{
	size_t *const counts[] = {
		[OUTCOME_OK] = &s->counts.ok,
		[OUTCOME_FAILED] = &s->counts.failed,
		[OUTCOME_INVALID] = &s->counts.invalid,
		[OUTCOME_TIMEOUT] = &s->counts.timeout,
		[OUTCOME_LOST] = &s->counts.lost,
	};

	return counts[o];
}

static int note_started(struct schedule *s, const struct record *r,
			struct err *e)
{
	struct trial_state *t = &s->trials[r->trial];
	struct boot_state *b = &s->boots[r->boot];

	if (t->over || t->open || r->attempt != t->attempts + 1)
		return err_set(e, ERR_STORE,
			       "trial %u: attempt %u starts after %u that %s",
			       r->trial, r->attempt, t->attempts,
			       t->open ? "is under way" : "ended");
	if (t->attempts > 0)
		(*count_of(s, t->last))--;
	t->attempts = r->attempt;
	t->open = true;
	b->life = r->boot_attempt;
	b->spoiled = false;
	return 0;
}

static void skip_over(struct schedule *s, uint32_t host)
{
	size_t *at = &s->cursor[host];

	while (*at < s->end[host] && s->trials[*at].over)
		(*at)++;
}

// Whether an attempt that ended so may be followed by another.
static bool is_over(const struct trial_state *t, const struct result *r,
		    const struct plan *p)
{
	if (r->outcome == OUTCOME_LOST)
		return false;
	return r->outcome == OUTCOME_OK || r->final || t->counted > p->retries;
}

static int note_finished(struct schedule *s, const struct record *r,
			 struct err *e)
{
	struct trial_state *t = &s->trials[r->trial];
	enum outcome o = r->result->outcome;

	if (!t->open || r->attempt != t->attempts)
		return err_set(e, ERR_STORE,
			       "trial %u: attempt %u ends but was not started",
			       r->trial, r->attempt);
	t->open = false;
	t->last = o;
	t->counted += o != OUTCOME_OK && o != OUTCOME_LOST;
	t->over = is_over(t, r->result, s->plan);
	s->counts.over += t->over;
	(*count_of(s, o))++;
	s->boots[r->boot].spoiled = o != OUTCOME_OK;
	skip_over(s, s->plan->trials[r->trial].host);
	return 0;
}

int schedule_note(struct schedule *s, const struct record *r, struct err *e)
{
	if (r->trial >= s->plan->ntrials)
		return err_set(e, ERR_STORE,
			       "trial %u is not in the plan of %zu trials",
			       r->trial, s->plan->ntrials);
	if (check_identity(s, r, e) < 0)
		return -1;
	return r->event == RECORD_STARTED ? note_started(s, r, e)
					  : note_finished(s, r, e);
}

static struct schedule_step make_step(const struct schedule *s, uint32_t trial,
				      uint32_t attempt, uint32_t life)
{
	const struct plan_trial *t = &s->plan->trials[trial];

	return (struct schedule_step){
		.trial = t,
		.attempt = attempt,
		.boot_attempt = life,
		.wire_boot = t->boot + (life - 1) * s->nboots,
		.last = t->last_in_boot,
	};
}

bool schedule_next(const struct schedule *s, uint32_t host,
		   struct schedule_step *out)
{
	size_t at = s->cursor[host];
	const struct boot_state *b;

	if (at >= s->end[host])
		return false;
	assert(!s->trials[at].open);
	b = &s->boots[s->plan->trials[at].boot];
	*out = make_step(s, (uint32_t)at, s->trials[at].attempts + 1,
			 b->life + (b->life == 0 || b->spoiled));
	return true;
}

const struct plan_trial *schedule_unfinished(const struct schedule *s,
					     uint32_t from)
{
	for (size_t i = from; i < s->plan->ntrials; i++) {
		if (s->trials[i].open)
			return &s->plan->trials[i];
	}
	return NULL;
}

struct schedule_step schedule_current(const struct schedule *s, uint32_t trial)
{
	uint32_t boot = s->plan->trials[trial].boot;

	return make_step(s, trial, s->trials[trial].attempts,
			 s->boots[boot].life);
}

void schedule_forget_boots(struct schedule *s, uint32_t host)
{
	for (size_t i = s->cursor[host]; i < s->end[host]; i++)
		s->boots[s->plan->trials[i].boot].spoiled = true;
}

size_t schedule_trials(const struct schedule *s, uint32_t host)
{
	return s->end[host] - s->begin[host];
}

size_t schedule_left(const struct schedule *s, uint32_t host)
{
	return s->end[host] - s->cursor[host];
}

uint32_t schedule_rounds(const struct schedule *s)
{
	uint32_t least = s->plan->warmup_rounds + s->plan->rounds;

	for (size_t h = 0; h < s->plan->nhosts; h++) {
		if (s->cursor[h] < s->end[h])
			least = MIN(least, s->plan->trials[s->cursor[h]].block);
	}
	return least;
}

struct schedule_counts schedule_count(const struct schedule *s)
{
	return s->counts;
}
