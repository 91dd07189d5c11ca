import { StartError } from '../../platform/start-error.ts';

/** The data of another product cannot be read. The message contains no password or token. */
export class SourceError extends StartError {}
