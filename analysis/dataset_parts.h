// What the files dataset*.c share.
#pragma once

#include "analysis/dataset.h"

// Fills a row; the row's values are NaN already.
void dataset_store_trial(struct dataset *ds, size_t row,
			 const struct dataset_trial *t);
// In the same unit, with the same direction?
bool dataset_is_like(const struct dataset_metric *dm, const struct metric *m);
