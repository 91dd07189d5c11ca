// Runs before the first paint: sets the chosen color scheme, or that of the system.
{
  const chosen = localStorage.getItem('halyard-scheme');
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
}
