// Resolved hosts as options.json keeps them.
#include <string.h>

#include "runner/matrix/inventory_names.h"
#include "runner/matrix/matrix.h"

struct js *inventory_to_js(const struct inventory_host *hosts, size_t n)
{
	struct js *list = js_array();

	for (size_t i = 0; i < n; i++) {
		struct js *j = js_object();

		js_set_str(j, "name", hosts[i].name);
		js_set_str(j, "destination", hosts[i].destination);
		js_set_str(j, "qemu", hosts[i].qemu);
		js_set_int(j, "lease_ns", hosts[i].lease_ns);
		js_set_int(j, "connect_ns", hosts[i].connect_ns);
		js_append(list, j);
	}
	return list;
}

// The file may have been edited: it is trusted no more than hosts.yaml.
static bool is_right(const struct inventory_host *h)
{
	return inventory_is_destination(h->name) &&
	       (h->destination[0] == '\0' ||
		inventory_is_destination(h->destination)) &&
	       (h->qemu[0] == '\0' || h->qemu[0] == '/') && h->lease_ns > 0 &&
	       h->connect_ns > 0;
}

int inventory_from_js(const struct js *list, struct matrix *m,
		      struct inventory_host **out, struct err *e)
{
	size_t n = js_len(list);
	struct inventory_host *hosts;

	if (js_kind(list) != JS_ARRAY || n == 0 || n > INVENTORY_HOSTS_MAX)
		return err_set(e, ERR_STORE,
			       "\"hosts\": must be a list of 1 to "
			       "%d hosts",
			       INVENTORY_HOSTS_MAX);
	hosts = arena_array(m->arena, n, sizeof(*hosts));
	for (size_t i = 0; i < n; i++) {
		const struct js *j = js_at(list, i);

		hosts[i] = (struct inventory_host){
			.name = js_get_str(j, "name", ""),
			.at = { m->file, 0, 0 },
			.destination = js_get_str(j, "destination", ""),
			.qemu = js_get_str(j, "qemu", ""),
			.lease_ns = js_get_int(j, "lease_ns", 0),
			.connect_ns = js_get_int(j, "connect_ns", 0),
		};
		if (!is_right(&hosts[i]))
			return err_set(e, ERR_STORE,
				       "\"hosts\": number %zu is no host",
				       i + 1);
	}
	inventory_set_hosts(m, hosts, n);
	*out = hosts;
	return 0;
}
