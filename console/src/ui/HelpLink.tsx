import { useRouterState } from '@tanstack/react-router';
import { HelpCircle } from 'lucide-react';
import { findHelpPage } from './help.ts';

/** A link to the manual page for the current console page. */
export function HelpLink() {
  const page = useRouterState({ select: ({ matches }) => findHelpPage(matches.at(-1)?.fullPath) });
  if (page === undefined) return null;
  return (
    <a
      href={`/help/${page}/`}
      target="_blank"
      rel="noreferrer"
      title="Help on this page"
      aria-label="Help on this page"
    >
      <HelpCircle size={15} aria-hidden="true" />
    </a>
  );
}
