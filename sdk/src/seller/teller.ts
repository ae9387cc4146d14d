type Tell = (error: unknown) => void

/** A teller of errors that never throws, whatever is behind it; a warning of the process where nothing is. */
export function tellerOf(onError: ((error: unknown) => unknown) | undefined): Tell {
  async function tell(error: unknown): Promise<void> {
    try {
      await (onError ?? warn)(error)
    } catch {
      // What fails in telling of an error has nobody left to be told to.
    }
  }
  return error => {
    void tell(error)
  }
}

interface Platform {
  readonly process?: { readonly emitWarning?: (warning: Error | string) => void }
  readonly console: { readonly warn: (text: unknown) => void }
}

/** Money may be at stake in what nobody listens to: it is written where the platform writes its warnings. */
function warn(error: unknown): void {
  const { process, console: terminal }: Platform = globalThis
  const emitWarning = process?.emitWarning
  if (emitWarning === undefined) terminal.warn(error)
  else emitWarning.call(process, error instanceof Error ? error : String(error))
}
