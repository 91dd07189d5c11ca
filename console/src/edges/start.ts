import { quoteForShell, type Snippet } from '../connect/snippets.ts';

/** Reads the server's URL from an enrolment. Returns undefined if the format is unknown. */
export function readServerUrl(enrolment: string): string | undefined {
  try {
    const [, body = ''] = enrolment.split('.');
    return JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/'))).url;
  } catch {
    return undefined;
  }
}

/** Returns commands that start an edge. They include the URL that the browser uses for the server, unless the enrolment has it. */
export function buildStartCommands(enrolment: string, origin: string): Snippet[] {
  const namesServer = readServerUrl(enrolment) !== origin;
  return [
    {
      name: 'Shell',
      text: `# The edge keeps its flags in this folder, so it can start while the server is unreachable.
HALYARD_EDGE_ENROLMENT=${quoteForShell(enrolment)} \\
${namesServer ? `HALYARD_EDGE_UPSTREAM=${quoteForShell(origin)} \\\n` : ''}HALYARD_DATA_DIR=./halyard-edge HOST=0.0.0.0 PORT=4243 \\
halyard edge
`,
    },
    {
      name: 'Kubernetes',
      text: `kubectl create secret generic halyard-edge \\
  --from-literal=enrolment=${quoteForShell(enrolment)}
# The chart is in the repository. It runs two edges.
helm install halyard-edge deploy/helm/halyard-edge \\
  --set enrolment.existingSecret=halyard-edge${namesServer ? ` \\\n  --set upstream=${quoteForShell(origin)}` : ''}
`,
    },
  ];
}
