import pg from 'pg';

/** Invalid values, violated constraints, and a row that appears twice. */
const DATA_ERRORS = /^(21000|22|23)/;
const TOO_DEEP = '54001';
const MISSING_REFERENCE = '23503';
/** PostgreSQL's detail message for a violated foreign key. The columns of foreign keys hold names, never secrets. */
const REFERENCE = /^Key \(([^)]+)\)=\((.*)\) is not present in table/s;

/**
 * Returns why the data cannot be stored, if the fault lies with the data rather than the connection or the statement. The message
 * names the violated rule but no value, because a column may hold secrets. The only exception is the name in a missing reference.
 */
export function describeDataError(error: unknown): string | undefined {
  // Values are read recursively, so the stack limits how deeply they can be nested.
  if (error instanceof RangeError || (error instanceof pg.DatabaseError && error.code === TOO_DEEP))
    return 'it is nested too deeply';
  if (error instanceof pg.DatabaseError && error.code === MISSING_REFERENCE) {
    const [, column = '', value] = REFERENCE.exec(error.detail ?? '') ?? [];
    if (value !== undefined)
      return `its ${column.replaceAll('_', ' ')} "${value}" does not exist; correct or delete the item in Unleash`;
  }
  if (error instanceof pg.DatabaseError && DATA_ERRORS.test(error.code ?? ''))
    return `the database cannot store it: ${error.message}`;
  return undefined;
}
