import fc from 'fast-check';
import Mustache from 'mustache';
import { expect, test } from 'vitest';
import { campaignSize } from '../../../test/campaign.ts';
import { findTemplateProblem, renderTemplate } from './template.ts';

const names = fc.constantFrom('a', 'b', 'a.b', 'b.a', 'a.length', '.', 'list', 'list.length', 'none');
const text = fc.constantFrom(' ', '\n', 'x', '<&>', '"', '  \n', '😀');
const leaf = fc.oneof(
  text,
  names.map(name => `{{${name}}}`),
  names.map(name => `{{{ ${name} }}}`),
  names.map(name => `{{&${name}}}`),
  fc.constantFrom('{{! comment }}', '{{> partial}}', '{{=<% %>=}}<%a%><%={{ }}=%>'),
);
const section = (inner: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom('#', '^'), names, inner)
    .map(([sign, name, body]) => `{{${sign}${name}}}${body}{{/${name}}}`);
const lines = (text: fc.Arbitrary<string>) => fc.array(text, { maxLength: 5 }).map(parts => parts.join(''));
const template = lines(fc.oneof(leaf, section(lines(fc.oneof(leaf, section(lines(leaf)))))));

// Lists contain no null, because Mustache throws when it looks up a name in null.
const plainValue = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant('<b>"x"</b>'),
  fc.constant('😀'),
);
const item = fc.oneof(
  plainValue,
  fc.record({ a: plainValue, b: plainValue }, { requiredKeys: [], noNullPrototype: true }),
);
const value = fc.oneof(
  item,
  fc.constant(null),
  fc.array(item, { maxLength: 3 }),
  fc.array(fc.array(plainValue)),
);
const view = fc.record(
  { a: value, b: value, list: fc.array(item, { maxLength: 4 }) },
  { requiredKeys: [], noNullPrototype: true },
);

test('renders the same output as Mustache', () => {
  fc.assert(
    fc.property(template, view, (text, data) => {
      expect(renderTemplate(text, data)).toBe(Mustache.render(text, data));
    }),
    { numRuns: campaignSize({ usual: 50, long: 5_000 }) },
  );
});

test('stops at the length limit or the step limit while it renders nested lists', () => {
  const list = Array.from({ length: 1_000 }, (_, index) => ({ value: `v${index}` }));
  const nestedTemplate = `{{#list}}{{#list}}${'x'.repeat(280)}{{/list}}{{/list}}`;
  const silent = '{{#list}}{{#list}}{{none.at.all}}{{/list}}{{/list}}';

  expect(() => renderTemplate(nestedTemplate, { list })).toThrow(/more than 1,048,576 characters/);
  expect(() => renderTemplate(silent, { list })).toThrow(/more than 100,000 steps/);
});

test('counts the items of a list that is rendered as text as steps', () => {
  const list = Array.from({ length: 1_000 }, () => [[[]]]);

  expect(() => renderTemplate('{{#list}}{{list}}{{/list}}', { list })).toThrow(/steps/);
});

test('renders a list of 1,000 items', () => {
  const list = Array.from({ length: 1_000 }, (_, index) => ({ value: index, description: 'd' }));

  const output = renderTemplate('{{#list}}{{value}} {{description}} {{outer}};{{/list}}', {
    list,
    outer: 'o',
  });

  expect(output.split(';')).toHaveLength(1_001);
});

test("reads only an object's own properties", () => {
  const view = { list: ['a'], text: 'b' };

  for (const name of [
    'constructor',
    'list.constructor.name',
    'text.toUpperCase',
    '__proto__.x',
    'toString',
  ]) {
    expect(renderTemplate(`[{{{${name}}}}]`, view)).toBe('[]');
  }
});

test.each([
  ['an unclosed section', '{{#a}}', 'is not a Mustache template'],
  ['sections nested three deep', '{{#a}}{{^b}}{{#c}}{{/c}}{{/b}}{{/a}}', 'must not nest sections'],
  ['long whitespace', `{{a${' '.repeat(9_900)}x}}`, 'whitespace'],
])('rejects %s', (_, text, problem) => {
  expect(findTemplateProblem(text)).toContain(problem);
  expect(() => renderTemplate(text, {})).toThrow(problem);
});

test('rejects a partial when a template is saved, and renders a stored template without the partial', () => {
  for (const text of ['a{{>partial}}b', '{{#list}}{{> partial}}{{/list}}']) {
    expect(findTemplateProblem(text)).toContain('must not contain partials');
  }
  expect(renderTemplate('a{{>partial}}b', {})).toBe('ab');
});
