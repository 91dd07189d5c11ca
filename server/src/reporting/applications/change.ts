import { isDeepStrictEqual } from 'node:util';
import { badData, notFound } from '@halyard/plane/platform/errors.ts';
import { findUrlViolation } from '../../flags/links/validate.ts';
import type { Change } from '../../record/change.ts';
import type { ApplicationFields } from './schema.ts';
import { deleteApplication, lockApplication, updateApplicationRow } from './store.ts';

/** Sets the given fields. */
export async function updateApplication(
  current: Change,
  appName: string,
  fields: ApplicationFields,
): Promise<void> {
  const violation = typeof fields.url === 'string' ? findUrlViolation(fields.url) : undefined;
  if (violation !== undefined) throw badData([{ message: violation, path: '/body/url' }]);
  const { id, ...fieldsBefore } = await lock(current, appName);
  const { description, url, icon, color } = { ...fieldsBefore, ...fields };
  const fieldsAfter = { description, url, icon, color };
  if (isDeepStrictEqual(fieldsAfter, fieldsBefore)) return;
  await updateApplicationRow(current.tx, id, fieldsAfter);
  current.record({
    type: 'application-updated',
    data: { appName, ...fieldsAfter },
    preData: { appName, ...fieldsBefore },
  });
}

/** Deletes an application and its instances. An application that is still running is created again. */
export async function removeApplication(current: Change, appName: string): Promise<void> {
  const { id, ...fieldsBefore } = await lock(current, appName);
  await deleteApplication(current.tx, id);
  current.record({ type: 'application-deleted', preData: { appName, ...fieldsBefore } });
}

async function lock({ tx, actor }: Change, appName: string) {
  const application = await lockApplication(tx, actor, appName);
  if (!application) throw notFound(`Application "${appName}"`);
  return application;
}
