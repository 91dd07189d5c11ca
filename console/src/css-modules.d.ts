// Vite's own declaration makes every class optional, which is not worth the checks: a missing class is obvious in the browser.
declare module '*.module.css' {
  const classes: Record<string, string>;
  export = classes;
}
