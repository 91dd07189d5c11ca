import { Page } from '../ui/Page.tsx';

export function FlagsPage() {
  return <Page title="Flags" />;
}

export function ProjectFlagsPage() {
  return <Page title="Flags" />;
}
