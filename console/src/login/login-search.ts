import * as v from 'valibot'

/** `back`: the address that needed the login. */
export const loginSearch = v.object({ back: v.optional(v.fallback(v.string(), '')) })
