import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";

/** Something a person does at the coordinator door; what is shown is asked for anew when it is done. */
export function useAct<T>(
  act: (what: T) => Promise<unknown>,
  onDone: () => void,
): UseMutationResult<unknown, Error, T> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ["coordinator"] }),
  });
}
