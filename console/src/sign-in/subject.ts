import type { Subject } from '../ui/last-change.ts';

/** Returns the subject of the events that change the setting `auth.oidc`, `auth.simple` or `cors`. */
export const buildSettingSubject = (id: string): Subject => ({
  types: ['setting-created', 'setting-updated'],
  text: id,
  isAbout: event => event.data?.id === id,
});
