import { Page } from '../ui/Page.tsx';

export function SignupPage() {
  return (
    <main>
      <Page title="Sign up" />
    </main>
  );
}
