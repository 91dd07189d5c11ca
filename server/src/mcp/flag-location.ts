import { authorize } from '../access/guard.ts';
import type { Call } from './tool.ts';

/** Finds the project of a flag that the caller may read. Flag names are unique, so callers need not name the project. */
export const findFlagProject = async (
  { db, actor }: Pick<Call, 'db' | 'actor'>,
  flag: string,
): Promise<string> => (await authorize(db, actor, 'NONE', { featureName: flag })) ?? '';

export const buildFlagUrl = ({ instance: { publicUrl } }: Call, project: string, flag: string): string =>
  `${publicUrl.replace(/\/$/, '')}/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(flag)}`;
