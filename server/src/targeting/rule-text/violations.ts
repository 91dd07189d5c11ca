import type { Violation } from '@halyard/plane/platform/errors.ts';

/**
 * SDKs for Java, .NET, Python, Ruby and Rust share the Yggdrasil engine. It compiles a strategy into a rule, and puts the
 * strategy's strings into that rule in quotes. The engine escapes quotes in constraint values and in `userIds`, but nowhere else,
 * and it never escapes backslashes. A string that ends its quotes too early or too late makes the rule invalid: these SDKs
 * disable the flag, while SDKs with their own engine (Node.js, Go, PHP) evaluate it.
 */
const CONSEQUENCE =
  'SDKs for Java, .NET, Python, Ruby and Rust cannot read such a string and disable the flag';

const MAX_QUOTED_LENGTH = 100;

/** Patterns that JavaScript and PostgreSQL interpret the same way. store.ts uses them to find stored strings. */
const WHITESPACE = '[ \\t\\r\\n]*';
export const UNESCAPED_PATTERN = `"|\\\\${WHITESPACE}$`;
export const ESCAPED_PATTERN = `\\\\("|${WHITESPACE}$)`;
const UNESCAPED_LIST_PATTERN = `"|\\\\${WHITESPACE}(,|$)`;
const ESCAPED_LIST_PATTERN = `\\\\("|${WHITESPACE}(,|$))`;

/** The parameters that become part of a rule, by strategy type, and the pattern of the strings that make the rule invalid. */
export const PARAMETERS: readonly { type: string; parameter: string; pattern: string }[] = [
  { type: 'flexibleRollout', parameter: 'groupId', pattern: UNESCAPED_PATTERN },
  { type: 'flexibleRollout', parameter: 'stickiness', pattern: UNESCAPED_PATTERN },
  { type: 'gradualRolloutUserId', parameter: 'groupId', pattern: UNESCAPED_PATTERN },
  { type: 'gradualRolloutSessionId', parameter: 'groupId', pattern: UNESCAPED_PATTERN },
  { type: 'remoteAddress', parameter: 'IPs', pattern: UNESCAPED_LIST_PATTERN },
  { type: 'applicationHostname', parameter: 'hostNames', pattern: UNESCAPED_LIST_PATTERN },
  { type: 'userWithId', parameter: 'userIds', pattern: ESCAPED_LIST_PATTERN },
];

const regExpByPattern = new Map(
  [UNESCAPED_PATTERN, ESCAPED_PATTERN, UNESCAPED_LIST_PATTERN, ESCAPED_LIST_PATTERN].map(pattern => [
    pattern,
    new RegExp(pattern),
  ]),
);

/** Returns the problem with a string that makes the rule invalid, or undefined for other strings. */
function findProblem(text: string, pattern: string): string | undefined {
  const match = regExpByPattern.get(pattern)?.exec(text);
  if (!match) return undefined;
  const isList = pattern === UNESCAPED_LIST_PATTERN || pattern === ESCAPED_LIST_PATTERN;
  const endRule = isList ? 'must not contain \\ before a comma or at the end' : 'must not end with \\';
  const rule = match[0].startsWith('"')
    ? 'must not contain "'
    : match[0].endsWith('"')
      ? 'must not contain \\"'
      : endRule;
  return `${quote(text)} ${rule}: ${CONSEQUENCE}`;
}

const quote = (text: string): string =>
  `"${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}"`;

/** Returns the problem with a context field's name in a constraint. */
export const findContextNameProblem = (name: string): string | undefined =>
  findProblem(name, UNESCAPED_PATTERN);

/** Returns the problem with a constraint's value. */
export const findConstraintValueProblem = (value: string): string | undefined =>
  findProblem(value, ESCAPED_PATTERN);

/** Returns the violations of a strategy's parameters. `path` points to the strategy in the request. */
export function findParameterViolations(
  { name, parameters = {} }: { name: string; parameters?: Record<string, string> | undefined },
  path: string,
): Violation[] {
  return PARAMETERS.flatMap(({ type, parameter, pattern }) => {
    const problem = type === name && findProblem(parameters[parameter] ?? '', pattern);
    return problem ? [{ message: `${parameter} ${problem}`, path: `${path}/parameters/${parameter}` }] : [];
  });
}
