import type { Subject } from '../ui/last-change.ts';

/** Returns the subject of the events that change a setting, which is `auth.oidc`, `auth.simple` or `cors`. */
export const settingSubject = (id: string): Subject => ({
  types: ['setting-created', 'setting-updated'],
  text: id,
  isAbout: event => event.data?.id === id,
});
