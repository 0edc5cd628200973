import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../api/queries";

/** Whether the reader may change things; the server decides, this only greys out what it would refuse. */
export function useMayOperate(): boolean {
  const { data } = useQuery(sessionQuery);
  return data !== undefined && data !== null && data.role !== "viewer";
}
