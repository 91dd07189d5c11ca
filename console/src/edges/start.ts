import { inShell, type Snippet } from '../connect/snippets.ts';

/** The server's URL in an enrolment, or undefined if the format is unknown. */
export function urlOf(enrolment: string): string | undefined {
  try {
    const [, body = ''] = enrolment.split('.');
    return JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/'))).url;
  } catch {
    return undefined;
  }
}

/** Commands that start an edge. They name the server if the enrolment has a different URL than the browser. */
export function commandsOf(enrolment: string, origin: string): Snippet[] {
  const isOther = urlOf(enrolment) !== origin;
  return [
    {
      name: 'Shell',
      text: `# The edge keeps its flags in this folder, so it can start while the server is unreachable.
HALYARD_EDGE_ENROLMENT=${inShell(enrolment)} \\
${isOther ? `HALYARD_EDGE_UPSTREAM=${inShell(origin)} \\\n` : ''}HALYARD_DATA_DIR=./halyard-edge HOST=0.0.0.0 PORT=4243 \\
halyard edge
`,
    },
    {
      name: 'Kubernetes',
      text: `kubectl create secret generic halyard-edge \\
  --from-literal=enrolment=${inShell(enrolment)}
# The chart is in the repository. It runs two edges.
helm install halyard-edge deploy/helm/halyard-edge \\
  --set enrolment.existingSecret=halyard-edge${isOther ? ` \\\n  --set upstream=${inShell(origin)}` : ''}
`,
    },
  ];
}
