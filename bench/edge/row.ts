/** One line of the report. */
export type Row = { metric: string; value: string; limit: string; isWithinLimit: boolean };
