/**
 * A module of Node, Deno or Bun without an import, which browsers would refuse. Null elsewhere; its parts may be missing
 * where Node is only imitated.
 */
export function builtIn<Module>(name: string): Partial<Module> | null {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => Partial<Module> | null | undefined }
  }
  try {
    return process?.getBuiltinModule?.(name) ?? null
  } catch {
    return null
  }
}
