import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { retryFrame } from './frames.ts';

/** How long an SDK waits before it comes back, as SDKs that poll do by default. */
const RETURN_AFTER_MS = 15_000;
const READ_WITHIN_MS = 10_000;

/**
 * Whether the SDK never polls: it retries a rejected stream forever, and has no flags until there is a slot. The SDKs for Python
 * and Ruby do. Instead of 429 they get what they lack, and come back later: a poll in the form of a stream.
 */
export const neverPolls = ({ 'unleash-sdk': sdk = '' }: IncomingHttpHeaders): boolean =>
  /^unleash-(python|ruby)-sdk\b/.test(String(sdk));

/** Ends the stream of an SDK after its first event. The SDK resumes from its last event id. */
export function endVisit(socket: Socket): void {
  socket.write(retryFrame(RETURN_AFTER_MS));
  socket.setTimeout(READ_WITHIN_MS, () => socket.destroy());
  socket.destroySoon();
}
