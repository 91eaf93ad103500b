/** Activity: who did what, and what became of it. */
import { type Base, type PartsOf, slice, tenantPart } from '../slice.ts';
import { openOwn } from '../storage/own-tables.ts';
import { ActivityLog } from './activity-log.ts';
import { ActivityStore } from './activity-store.ts';
import { ActivityRetention } from './retention.ts';
import { ACTIVITY_CALLS, ACTIVITY_INPUTS, TenantActivity } from './tenant-activity.ts';

export type ActivityParts = PartsOf<typeof ACTIVITY>;

export const ACTIVITY = slice({
  scopes: { 'activity:read': 'Read and export the activity of the tenant' },
  make(base: Base) {
    const store = openOwn(base, 'activity', (place) => new ActivityStore(place));
    return { activity: new ActivityLog({ ...base, store }) };
  },
  tenant: ({ activity }) => ({
    activity: tenantPart(
      ACTIVITY_INPUTS,
      (acting) => new TenantActivity(activity, acting),
      ACTIVITY_CALLS,
    ),
  }),
  works: ({ activity, clock, settings }) => [
    new ActivityRetention({ activity, clock, days: settings.activityDays }),
  ],
  registerMetrics({ activity }, metrics) {
    metrics.gauge(
      'activity_unwritten_records',
      'Records of activity that could not be written yet',
      () => activity.unwritten,
    );
    metrics.counter(
      'activity_lost_total',
      'Records of activity that were given up',
      () => activity.lost,
    );
  },
});
