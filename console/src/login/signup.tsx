import { Page } from '../ui/Page.tsx';

export function SignupPage() {
  return <Page title="Sign up" />;
}
