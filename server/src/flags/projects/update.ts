import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { badData, notFound, type Violation } from '../../platform/errors.ts';
import { compilePattern } from '../../platform/pattern.ts';
import { change } from '../../record/change.ts';
import { asEventData } from './create.ts';
import type { Project, ProjectSettings, ProjectUpdate } from './schema.ts';
import { findProject, lockProject, updateProject } from './store.ts';

/** Changes the fields that are given and leaves the others; changing nothing writes nothing. */
export async function changeProject(
  db: Db,
  actor: Actor,
  id: string,
  input: Partial<ProjectUpdate> & ProjectSettings,
): Promise<Project> {
  const naming = input.featureNaming && checkNaming(input.featureNaming);
  return await change(db, actor, async ({ tx, record }) => {
    const before = await lockProject(tx, actor, id);
    if (!before) throw notFound(`Project ${id}`);
    const after = {
      ...before,
      name: input.name ?? before.name,
      description: input.description ?? before.description,
      mode: input.mode ?? before.mode,
      defaultStickiness: input.defaultStickiness ?? before.defaultStickiness,
      featureLimit: input.featureLimit === undefined ? before.featureLimit : input.featureLimit,
      debtBudget: input.debtBudget === undefined ? before.debtBudget : input.debtBudget,
      featureNaming: naming ?? before.featureNaming,
    };
    if (isDeepStrictEqual(after, before)) return before;

    await updateProject(tx, after);
    record({ type: 'project-updated', project: id, data: asEventData(after), preData: asEventData(before) });
    return (await findProject(tx, actor, id)) ?? after;
  });
}

type Naming = Project['featureNaming'];

/** A pattern that cannot be compiled, or does not match its own example, is refused before it can refuse names. */
export function checkNaming(input: NonNullable<ProjectSettings['featureNaming']>): Naming {
  const naming = {
    ...(input.pattern ? { pattern: input.pattern } : {}),
    ...(input.example ? { example: input.example } : {}),
    ...(input.description ? { description: input.description } : {}),
  };
  const details = [...namingViolations(naming)];
  if (details.length > 0) throw badData(details);
  return naming;
}

function* namingViolations({ pattern, example }: Naming): Generator<Violation> {
  if (pattern === undefined) {
    if (example !== undefined)
      yield { message: 'an example needs a pattern', path: '/body/featureNaming/example' };
    return;
  }
  const compiled = compilePattern(pattern);
  if (!compiled)
    yield { message: 'pattern is not RE2 syntax, or repeats too much', path: '/body/featureNaming/pattern' };
  else if (example !== undefined && !compiled.matches(example)) {
    yield { message: 'example does not match the pattern', path: '/body/featureNaming/example' };
  }
}
