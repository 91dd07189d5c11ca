import pg from 'pg';

/** Invalid values, violated constraints, and a row that appears twice. */
const DATA_ERRORS = /^(21000|22|23)/;
const TOO_DEEP = '54001';

/**
 * Why the data cannot be stored, if it is the data and not the connection or the statement. The message names a rule, and no value of a
 * secret column.
 */
export function dataError(error: unknown): string | undefined {
  // Values are read recursively, so the stack limits how deeply they can be nested.
  if (error instanceof RangeError || (error instanceof pg.DatabaseError && error.code === TOO_DEEP))
    return 'it is nested too deeply';
  if (error instanceof pg.DatabaseError && DATA_ERRORS.test(error.code ?? ''))
    return `the database does not store it: ${error.message}`;
  return undefined;
}
