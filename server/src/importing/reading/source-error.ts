import { StartError } from '../../platform/start-error.ts';

/** Thrown if data from the product that is imported cannot be read. The message contains no password or token. */
export class SourceError extends StartError {}
