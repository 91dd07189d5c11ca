/** The logo. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="var(--h-accent-fill)" />
      <path d="M10.2 6.5v19" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      <path
        d="M11.4 8.600c4.400-2 6.200 1.900 11.600.2v8.200c-5.400 1.700-7.200-2.200-11.600-.2z"
        fill="#fff"
      />
    </svg>
  );
}
