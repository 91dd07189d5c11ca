import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readApiDocument } from '../../console/scripts/api-types.ts';
import { getCommandOptions } from '../src/command.ts';
import { COMMANDS, GROUPS } from '../src/commands/index.ts';
import { generateFiles } from './generate.ts';

test.each(generateFiles())('%s is what `npm run api-types` writes', (file, text) => {
  expect(readFileSync(file, 'utf8') === text).toBe(true);
});

test('every command names existing operations and schemas', () => {
  const api = readApiDocument();
  const ids = Object.values(api.paths).flatMap(item =>
    Object.values(item).map(operation => operation.operationId),
  );

  expect(COMMANDS.flatMap(({ calls }) => calls).filter(id => !ids.includes(id))).toEqual([]);
  expect(
    COMMANDS.flatMap(({ output }) => (typeof output === 'string' ? [output] : [])).filter(
      name => !api.components.schemas[name],
    ),
  ).toEqual([]);
});

test('every command has a group, examples and distinct short options', () => {
  const problems = COMMANDS.flatMap(command => {
    const { name, examples } = command;
    const [group = '', verb] = name.split(' ');
    const letters = Object.values(getCommandOptions(command)).flatMap(({ short }) => short ?? []);
    return [
      ...(verb !== undefined && !Object.hasOwn(GROUPS, group) ? [`${name} has no group`] : []),
      ...(examples.length === 0 || examples.some(({ run }) => !`${run} `.startsWith(`${name} `))
        ? [`${name} has an example for a different command`]
        : []),
      ...(new Set(letters).size < letters.length ? [`${name} uses a short option twice`] : []),
    ];
  });

  expect(problems).toEqual([]);
});
