/** The public URL of the application in tests. Nothing listens there. */
export const PUBLIC_URL = 'http://localhost:4242';
