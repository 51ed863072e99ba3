#include "analysis/thin.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/latency.h"
#include "runner/base/buf.h"

static const char latency[] = ".lat", percentile[] = "_p";

// "50" is 50, "99" is 99, "999" is 99.9; 0 for what is no percentile.
static double percent_of(const char *digits)
{
	char *end;
	double p = strtod(digits, &end);

	if (end == digits || *end != '\0')
		return 0;
	while (p >= 100)
		p /= 10;
	return p;
}

bool thin_percentile(const struct result *r, const struct metric *m)
{
	CLEANUP(buf_deinit) struct buf name = BUF_INIT;
	const char *at = strstr(m->name, latency), *p;
	double n;

	if (at == NULL || r->hists == NULL)
		return false;
	p = at + strlen(latency);
	if (strncmp(p, percentile, strlen(percentile)) != 0)
		return false;
	buf_add(&name, m->name, (size_t)(p - m->name));
	n = js_get_real(js_get(r->hists, buf_str(&name)), "n", 0);
	p += strlen(percentile);
	return n > 0 && percent_of(p) > 0 &&
	       !latency_supported(n, percent_of(p));
}
