import { StartError } from '../../platform/start-error.ts';

/** What another product sent or has cannot be read. The message has no password and no token. */
export class SourceError extends StartError {}
