import {
  FilterError,
  parseEnumValue,
  parseFilter,
  parseLimit,
  parseOffset,
  parseSearch,
} from '@halyard/plane/platform/http/input/filter.ts';
import { RULES } from '../rules/rules.ts';

export type FindingSearch = {
  rule?: string[];
  feature?: string[];
  /** If undefined, the search finds both snoozed and other findings. */
  snoozed?: boolean;
  offset: number;
  limit: number;
};

type RawSearch = Omit<FindingSearch, 'snoozed'> & { snoozed: 'true' | 'false' | 'all' };

const PARSERS: { [K in keyof RawSearch]-?: (value: unknown) => NonNullable<RawSearch[K]> } = {
  rule: parseRules,
  feature: parseFilter,
  snoozed: value => parseEnumValue(value, ['true', 'false', 'all']),
  offset: parseOffset,
  limit: parseLimit,
};

/** Parses the query parameters of the findings, or rejects them and lists every violation. */
export function parseFindingSearch(parameters: Record<string, unknown>): FindingSearch {
  const { snoozed, ...search } = parseSearch<RawSearch>(parameters, PARSERS, {
    snoozed: 'false',
    offset: 0,
    limit: 50,
  });
  return snoozed === 'all' ? search : { ...search, snoozed: snoozed === 'true' };
}

function parseRules(value: unknown): string[] {
  const names = parseFilter(value);
  const ruleNames = RULES.map(({ name }): string => name);
  if (names.every(name => ruleNames.includes(name))) return names;
  throw new FilterError(`must contain only these rules: ${ruleNames.join(', ')}`);
}
