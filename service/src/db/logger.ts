/** What the database's parts need of a logger; pino's fits. */
export interface Logger {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}
