// Vite's own declaration makes every class optional. A missing class is obvious in the browser.
declare module '*.module.css' {
  const classes: Record<string, string>;
  export = classes;
}
