-- Places queens that do not threaten each other, by backtracking.
local function place(row, size, columns, up, down)
    if row > size then
        return 1
    end
    local found = 0
    for column = 1, size do
        local u, d = row + column, row - column + size
        if not (columns[column] or up[u] or down[d]) then
            columns[column], up[u], down[d] = true, true, true
            found = found + place(row + 1, size, columns, up, down)
            columns[column], up[u], down[d] = nil, nil, nil
        end
    end
    return found
end
print(place(1, 11, {}, {}, {}))
