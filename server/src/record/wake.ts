/** Servers that deliver listen here; whoever writes a delivery notifies it, which is sent with the commit. */
export const WAKE_CHANNEL = 'halyard_deliveries';
