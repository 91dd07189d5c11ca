import type { Violation } from '../../../../plane/src/platform/errors.ts';

/**
 * SDKs for Java, .NET, Python, Ruby and Rust share the Yggdrasil engine. It compiles a strategy into a rule, and puts the
 * strategy's strings into that rule between quotes. It escapes a quote in the values of a constraint and in `userIds`, but no
 * quote anywhere else, and never a backslash. A string that ends its quotes too early or too late makes the rule invalid: these
 * SDKs disable the flag, while SDKs with their own engine (Node.js, Go, PHP) evaluate it.
 */
const LOST = 'SDKs for Java, .NET, Python, Ruby and Rust cannot read such a string and disable the flag';

const QUOTED_LENGTH = 100;

/** Patterns that JavaScript and PostgreSQL read alike; store.ts finds stored strings with them. */
const BLANKS = '[ \\t\\r\\n]*';
export const UNESCAPED = `"|\\\\${BLANKS}$`;
export const ESCAPED = `\\\\("|${BLANKS}$)`;
const UNESCAPED_LIST = `"|\\\\${BLANKS}(,|$)`;
const ESCAPED_LIST = `\\\\("|${BLANKS}(,|$))`;

/** The parameters that become part of a rule, by strategy type, and the pattern of strings that break it. */
export const PARAMETERS: readonly { type: string; parameter: string; pattern: string }[] = [
  { type: 'flexibleRollout', parameter: 'groupId', pattern: UNESCAPED },
  { type: 'flexibleRollout', parameter: 'stickiness', pattern: UNESCAPED },
  { type: 'gradualRolloutUserId', parameter: 'groupId', pattern: UNESCAPED },
  { type: 'gradualRolloutSessionId', parameter: 'groupId', pattern: UNESCAPED },
  { type: 'remoteAddress', parameter: 'IPs', pattern: UNESCAPED_LIST },
  { type: 'applicationHostname', parameter: 'hostNames', pattern: UNESCAPED_LIST },
  { type: 'userWithId', parameter: 'userIds', pattern: ESCAPED_LIST },
];

const matcher = new Map(
  [UNESCAPED, ESCAPED, UNESCAPED_LIST, ESCAPED_LIST].map(pattern => [pattern, new RegExp(pattern)]),
);

/** The problem with a string that breaks the rule; undefined for other strings. */
function problemOf(text: string, pattern: string): string | undefined {
  const at = matcher.get(pattern)?.exec(text);
  if (!at) return undefined;
  const rule = at[0].startsWith('"')
    ? 'must not contain "'
    : at[0].endsWith('"')
      ? 'must not contain \\"'
      : 'must not end with \\';
  const isList = pattern === UNESCAPED_LIST || pattern === ESCAPED_LIST;
  return `${quoted(text)} ${rule}${isList && !at[0].includes('"') ? ' before a comma or at its end' : ''}: ${LOST}`;
}

const quoted = (text: string): string =>
  `"${text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text}"`;

/** The problem with a context field's name in a constraint. */
export const contextNameProblem = (name: string): string | undefined => problemOf(name, UNESCAPED);

/** The problem with a constraint's value. */
export const constraintValueProblem = (value: string): string | undefined => problemOf(value, ESCAPED);

/** The violations of a strategy's parameters. `path` points to the strategy in the request. */
export function parameterViolations(
  { name, parameters = {} }: { name: string; parameters?: Record<string, string> | undefined },
  path: string,
): Violation[] {
  return PARAMETERS.flatMap(({ type, parameter, pattern }) => {
    const problem = type === name && problemOf(parameters[parameter] ?? '', pattern);
    return problem ? [{ message: `${parameter} ${problem}`, path: `${path}/parameters/${parameter}` }] : [];
  });
}
