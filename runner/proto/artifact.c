#include "runner/proto/artifact.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "runner/base/alloc.h"

bool artifact_name_is_good(const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";
	size_t len = strlen(name);

	return len > 0 && len <= ARTIFACT_NAME_MAX && name[0] != '.' &&
	       strspn(name, good) == len;
}

struct js *artifact_new(const char *name, const void *data, size_t len)
{
	CLEANUP(buf_deinit) struct buf text = BUF_INIT;
	struct js *j = js_object();

	assert(artifact_name_is_good(name) && len <= ARTIFACT_BYTES_MAX);
	base64_encode(data, len, &text);
	js_set_str(j, "name", name);
	js_set_str(j, "data", buf_str(&text));
	return j;
}

int artifact_read(const struct js *j, const char **name, struct buf *data,
		  struct err *e)
{
	const char *given = js_get_str(j, "name", "");
	const char *text = js_get_str(j, "data", NULL);

	if (!artifact_name_is_good(given))
		return err_set(e, ERR_HOST,
			       "artifact: \"%.80s\" is no name for a file: at "
			       "most %d letters, digits, \".\", \"_\" and "
			       "\"-\"",
			       given, ARTIFACT_NAME_MAX);
	if (text == NULL || strlen(text) > ARTIFACT_DATA_MAX ||
	    base64_decode(text, strlen(text), data) < 0)
		return err_set(e, ERR_HOST,
			       "artifact \"%s\": its data is not base64 of at "
			       "most %d bytes",
			       given, ARTIFACT_BYTES_MAX);
	*name = given;
	return 0;
}

void artifacts_deinit(struct artifacts *a)
{
	js_unref(a->list);
	*a = (struct artifacts){ 0 };
}

size_t artifacts_room(const struct artifacts *a)
{
	if (js_len(a->list) >= ARTIFACT_COUNT_MAX)
		return 0;
	return MIN(ARTIFACT_TOTAL_MAX - a->bytes, (size_t)ARTIFACT_BYTES_MAX);
}

static bool is_taken(const struct artifacts *a, const char *name)
{
	for (size_t i = 0; i < js_len(a->list); i++) {
		if (strcmp(js_get_str(js_at(a->list, i), "name", ""), name) ==
		    0)
			return true;
	}
	return false;
}

bool artifacts_add(struct artifacts *a, const char *name, const void *data,
		   size_t len)
{
	CLEANUP(cleanup_free) char *own = xstrdup(name);

	for (size_t i = 2; is_taken(a, own); i++) {
		free(own);
		own = xasprintf("%s.%zu", name, i);
	}
	if (len > artifacts_room(a) || !artifact_name_is_good(own))
		return false;
	if (a->list == NULL)
		a->list = js_array();
	js_append(a->list, artifact_new(own, data, len));
	a->bytes += len;
	return true;
}

static int add_read(struct artifacts *a, const struct js *j, struct err *e)
{
	CLEANUP(buf_deinit) struct buf data = BUF_INIT;
	const char *name;

	if (artifact_read(j, &name, &data, e) < 0)
		return -1;
	if (!artifacts_add(a, name, buf_str(&data), data.len))
		return err_set(e, ERR_HOST,
			       "artifacts: more than %d, or more than %d bytes",
			       ARTIFACT_COUNT_MAX, ARTIFACT_TOTAL_MAX);
	return 0;
}

int artifacts_read(const struct js *list, struct artifacts *a, struct err *e)
{
	CLEANUP(artifacts_deinit) struct artifacts all = { 0 };

	if (list != NULL && js_kind(list) != JS_ARRAY)
		return err_set(e, ERR_HOST, "artifacts: not a list");
	if (js_len(list) == 0)
		return 0;
	all.list = js_array();
	all.bytes = a->bytes;
	for (size_t i = 0; i < js_len(a->list); i++)
		js_append(all.list, js_ref(js_at(a->list, i)));
	for (size_t i = 0; i < js_len(list); i++) {
		if (add_read(&all, js_at(list, i), e) < 0)
			return -1;
	}
	artifacts_deinit(a);
	*a = all;
	all = (struct artifacts){ 0 };
	return 0;
}
