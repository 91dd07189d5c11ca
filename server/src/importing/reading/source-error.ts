import { StartError } from '../../platform/start-error.ts';

/** Thrown if data from the source product cannot be read. The message must not contain a password or token. */
export class SourceError extends StartError {}
