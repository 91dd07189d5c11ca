import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import { compilePattern } from '@halyard/plane/platform/pattern.ts';
import type { Static } from 'typebox';
import type { Reader } from '../../platform/db/database.ts';
import {
  MAX_SHOWN_NAMES,
  type NamingCheck,
  type NamingPreview,
  type Project,
  type ProjectSettings,
} from './schema.ts';
import { listFeatureNames } from './store.ts';

type Naming = Project['featureNaming'];

/** Returns the naming rule as it is stored. Rejects a pattern that does not compile or does not match its example. */
export function checkNaming(input: NonNullable<ProjectSettings['featureNaming']>): Naming {
  const naming = {
    ...(input.pattern ? { pattern: input.pattern } : {}),
    ...(input.example ? { example: input.example } : {}),
    ...(input.description ? { description: input.description } : {}),
  };
  const details = [...findNamingViolations(naming)];
  if (details.length > 0) throw badData(details);
  return naming;
}

function* findNamingViolations({ pattern, example }: Naming): Generator<Violation> {
  if (pattern === undefined) {
    if (example !== undefined)
      yield { message: 'example requires a pattern', path: '/body/featureNaming/example' };
    return;
  }
  const compiledPattern = compilePattern(pattern);
  if (!compiledPattern)
    yield {
      message: `pattern "${pattern}" is not valid in RE2 syntax, or its repetitions are too large`,
      path: '/body/featureNaming/pattern',
    };
  else if (example !== undefined && !compiledPattern.matches(example)) {
    yield {
      message: `example "${example}" does not match the pattern "${pattern}"`,
      path: '/body/featureNaming/example',
    };
  }
}

/** Returns the project's active features whose names break a naming rule. Rejects a rule that the settings would reject. */
export async function previewNaming(
  db: Reader,
  project: string,
  input: Static<typeof NamingPreview>['featureNaming'],
): Promise<Static<typeof NamingCheck>> {
  const { pattern } = checkNaming(input);
  const compiledPattern = pattern === undefined ? undefined : compilePattern(pattern);
  const names = await listFeatureNames(db, project);
  const violatingNames = names.filter(
    name => compiledPattern !== undefined && !compiledPattern.matches(name),
  );
  return {
    features: names.length,
    violations: violatingNames.length,
    names: violatingNames.slice(0, MAX_SHOWN_NAMES),
  };
}
