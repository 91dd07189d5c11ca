import { type RawBuilder, sql } from 'kysely';
import { ESCAPED_PATTERN, PARAMETERS, UNESCAPED_PATTERN } from './violations.ts';

/**
 * A condition that is true if the JSON may contain a string that makes a strategy's compiled rule invalid (see violations.ts). It
 * is cheap because it only looks for a backslash, with which JSON escapes quotes and backslashes.
 */
export const mayBreakRule = (json: RawBuilder<unknown>) => sql`strpos(${json}::text, '\\') > 0`;

/** Selects, as `value`, the strings in constraints that make the strategy's compiled rule invalid. */
export const constraintsThatBreakRule = (constraints: RawBuilder<unknown>) => sql`
  select item ->> 'contextName' as value from jsonb_array_elements(${constraints}) as item
  where item ->> 'contextName' ~ ${UNESCAPED_PATTERN}
  union all
  select item ->> 'value' from jsonb_array_elements(${constraints}) as item where item ->> 'value' ~ ${ESCAPED_PATTERN}
  union all
  select listed from jsonb_array_elements(${constraints}) as item
    cross join jsonb_array_elements_text(item -> 'values') as listed
  where listed ~ ${ESCAPED_PATTERN}`;

/** Selects, as `value`, the values of parameters that make the strategy's compiled rule invalid. */
export const parametersThatBreakRule = (type: RawBuilder<unknown>, parameters: RawBuilder<unknown>) => sql`
  select ${parameters} ->> parameter as value
  from (values ${sql.join(
    PARAMETERS.map(
      ({ type: strategyType, parameter, pattern }) => sql`(${strategyType}, ${parameter}, ${pattern})`,
    ),
  )}) as rule (strategy_type, parameter, pattern)
  where strategy_type = ${type} and ${parameters} ->> parameter ~ pattern`;
