// Vite's own declaration makes every class optional. Checking each one is not worth it: a missing class is obvious in the browser.
declare module '*.module.css' {
  const classes: Record<string, string>;
  export = classes;
}
