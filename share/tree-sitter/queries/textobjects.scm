; Helix: `]f` goes to the next declaration, `maa` takes an argument.
[(op) (block) (model) (strategy) (schedule) (cluster) (plan) (search) (function)] @function.around
(comment) @comment.inside
(comment)+ @comment.around
(parameter) @parameter.inside
(argument) @parameter.inside
