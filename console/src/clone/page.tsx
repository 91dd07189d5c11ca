import { Page } from '../ui/Page.tsx';

export function ClonePage() {
  return <Page title="Clone a flag" />;
}
