/** Saves a string as a file on the user's computer. */
export function download(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The URL must stay valid for a while, because the browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
