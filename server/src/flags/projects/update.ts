import { isDeepStrictEqual } from 'node:util';
import { badData, notFound, type Violation } from '../../platform/errors.ts';
import { compilePattern } from '../../platform/pattern.ts';
import type { Change } from '../../record/change.ts';
import { asEventData } from './create.ts';
import type { Project, ProjectSettings, ProjectUpdate } from './schema.ts';
import { lockProject, updateProject } from './store.ts';

/** Changes the given fields and keeps the others. An update that changes nothing writes nothing. */
export async function changeProject(
  { tx, record }: Change,
  id: string,
  input: Partial<ProjectUpdate> & ProjectSettings,
): Promise<void> {
  const naming = input.featureNaming && checkNaming(input.featureNaming);
  const before = await lockProject(tx, id);
  if (!before) throw notFound(`Project "${id}"`);
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
  if (isDeepStrictEqual(after, before)) return;

  await updateProject(tx, after);
  record({ type: 'project-updated', project: id, data: asEventData(after), preData: asEventData(before) });
}

type Naming = Project['featureNaming'];

/** Returns the naming rule as it is stored. Rejects a pattern that does not compile or does not match its example. */
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
      yield { message: 'example requires a pattern', path: '/body/featureNaming/example' };
    return;
  }
  const compiled = compilePattern(pattern);
  if (!compiled)
    yield {
      message: `pattern "${pattern}" is not valid in RE2 syntax, or its repetitions are too large`,
      path: '/body/featureNaming/pattern',
    };
  else if (example !== undefined && !compiled.matches(example)) {
    yield {
      message: `example "${example}" does not match the pattern "${pattern}"`,
      path: '/body/featureNaming/example',
    };
  }
}
